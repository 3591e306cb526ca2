//! The `claude` persona.

mod manners;

pub(crate) use manners::Claude;
