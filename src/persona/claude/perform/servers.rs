//! MCP servers that the client names: among the arguments, with `initialize`, and later on. None is
//! started; they are all well.

use super::frame::Asked;
use super::stock::Said;
use super::voice::ClaudeVoice;
use crate::persona::claude::object::Object;
use crate::persona::claude::render::McpServer;
use serde_json::{Value, json};

/// The servers of a map of configurations.
pub(super) fn configured(map: Option<&Value>) -> Vec<McpServer> {
    let Some(map) = map.and_then(Value::as_object) else { return Vec::new() };
    let server = |(name, server): (&String, &Value)| McpServer {
        name: name.clone(),
        sdk: server["type"] == "sdk",
    };
    map.iter().map(server).collect()
}

/// The map of configurations that a request holds under a key.
fn handed_over(request: &Object, key: &str) -> Vec<McpServer> {
    let map = request.get(key).and_then(|source| serde_json::from_str(source).ok());
    configured(map.as_ref())
}

impl ClaudeVoice {
    /// Takes over the servers that come with `initialize`: those that the client plays itself, by
    /// name, and others by configuration.
    pub(super) fn greeted_with_servers(&mut self, request: &Object) {
        let names = request.get("sdkMcpServers");
        let names: Vec<String> =
            names.and_then(|source| serde_json::from_str(source).ok()).unwrap_or_default();
        let own = names.into_iter().map(|name| McpServer { name, sdk: true });
        for server in own.chain(handed_over(request, "mcpServers")) {
            self.renderer.add_server(server);
        }
    }

    /// The answer to `mcp_set_servers`, whose servers take the place of those that an earlier one
    /// set. Not captured; the keys are those that the JavaScript SDK declares.
    pub(super) fn set_servers(&self, asked: &Asked) -> Said {
        let servers = handed_over(&asked.request, "servers");
        let is_new = |name: &&str| !self.client.set_servers.iter().any(|known| known == name);
        let is_gone = |name: &&String| !servers.iter().any(|server| server.name == **name);
        let added: Vec<&str> = servers.iter().map(|server| &*server.name).filter(is_new).collect();
        let removed: Vec<&String> = self.client.set_servers.iter().filter(is_gone).collect();
        let value = json!({"added": added, "removed": removed, "errors": {}});
        Said::Value(self.renderer.layout().json.value(&value))
    }

    /// Does what `mcp_set_servers` asks for.
    pub(super) fn take_servers(&mut self, asked: &Asked) {
        for name in std::mem::take(&mut self.client.set_servers) {
            self.renderer.drop_server(&name);
        }
        for server in handed_over(&asked.request, "servers") {
            self.client.set_servers.push(server.name.clone());
            self.renderer.add_server(server);
        }
    }

    /// Whether the session has the server that a request names.
    pub(super) fn has_server(&self, name: &str) -> bool {
        self.renderer.servers().iter().any(|known| known.name == name)
    }

    /// The answer to `mcp_status`.
    pub(super) fn server_status(&self) -> Said {
        let server = |server: &McpServer| json!({"name": server.name, "status": "connected"});
        let servers: Vec<Value> = self.renderer.servers().iter().map(server).collect();
        Said::Value(self.renderer.layout().json.value(&json!({"mcpServers": servers})))
    }
}
