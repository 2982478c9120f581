package nvue

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
)

// asks are the stored and the applied tree.
var asks = []target.Question{
	{File: "startup.yaml", Cmd: "cat " + "/etc/nvue.d/startup.yaml", Says: "the stored configuration"},
	{File: "applied.yaml", Cmd: "nv config show", Says: "the applied configuration"},
}

// kept are the parts of a tree that say something of lossless traffic, of cables, or of routing.
var kept = snapshot.Kept{
	"header", "qos", "bridge", "mlag", "platform", "system.hostname", "system.qos", "interface.*.link", "interface.*.type",
	"interface.*.bond", "interface.*.qos", "interface.*.bridge", "interface.*.vlan", "interface.*.parent", "interface.*.ip.address",
	"interface.*.ip.vrf", "router.adaptive-routing", "router.bgp.enable", "router.bgp.autonomous-system", "router.bgp.router-id",
	"vrf.*.router.bgp.enable", "vrf.*.router.bgp.autonomous-system", "vrf.*.router.bgp.router-id",
	"vrf.*.router.bgp.neighbor.*.type", "vrf.*.router.bgp.neighbor.*.remote-as", "vrf.*.router.bgp.neighbor.*.peer-group",
	"vrf.*.router.bgp.peer-group.*.remote-as",
}

// keep takes all other parts out of a tree, or out of commands.
func keep(_ string, data []byte) (out []byte, dropped int, err error) {
	command, rest := grammar.Prompt(data)
	above := data[:len(data)-len(rest)]
	switch text := bytes.TrimSpace(rest); {
	case grammar.AreCommands(rest):
		out, dropped = snapshot.Lines(rest, keepsCommand)
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		out, dropped, err = kept.JSON(rest, pathOf)
	default:
		out, dropped, err = kept.YAML(rest, pathOf)
	}
	if command == "" {
		return out, dropped, err
	}
	return append(bytes.Clone(above), out...), dropped, err
}

// pathOf returns the path of a key below set and unset.
func pathOf(keys []string) []string {
	if keys[0] == "set" || keys[0] == "unset" {
		return keys[1:]
	}
	return keys
}

// keepsCommand reports whether a line sets or unsets kept parts alone. A line with more than one command is not kept.
func keepsCommand(line string) bool {
	if strings.ContainsAny(line, ";&|`\\") || strings.Contains(line, "$(") {
		return false
	}
	words := strings.Fields(line)
	if i := slices.Index(words, "nv"); i > 0 && strings.ContainsAny(words[i-1], "$#") { // behind a prompt
		words = words[i:]
	}
	if len(words) > 0 && words[0] == "sudo" {
		words = words[1:]
	}
	if len(words) < 3 || words[0] != "nv" {
		return false
	}
	if words[1] == "config" {
		return true
	}
	return (words[1] == "set" || words[1] == "unset") && kept.Path(words[2:])
}
