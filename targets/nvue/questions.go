package nvue

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
)

// asks are queries for the stored and the applied tree.
var asks = []target.Question{
	{File: "startup.yaml", Cmd: "cat " + "/etc/nvue.d/startup.yaml", Says: "the stored configuration"},
	{File: "applied.yaml", Cmd: "nv config show", Says: "the applied configuration"},
	{File: target.QueuesFile, Cmd: cumulus.AskQueues, Says: "counters of queues"},
}

// kept are the parts of a tree about lossless traffic, cables or routing.
var kept = snapshot.Kept{
	"header", "qos", "bridge", "mlag", "platform", "system.hostname", "system.qos", "interface.*.link", "interface.*.type",
	"interface.*.bond", "interface.*.qos", "interface.*.bridge", "interface.*.vlan", "interface.*.parent", "interface.*.ip.address",
	"interface.*.ip.vrf", "router.adaptive-routing", "router.bgp.enable", "router.bgp.state", "router.bgp.autonomous-system",
	"router.bgp.router-id",
	"vrf.*.router.bgp.enable", "vrf.*.router.bgp.state", "vrf.*.router.bgp.autonomous-system", "vrf.*.router.bgp.router-id",
	"vrf.*.router.bgp.neighbor.*.type", "vrf.*.router.bgp.neighbor.*.remote-as", "vrf.*.router.bgp.neighbor.*.peer-group",
	"vrf.*.router.bgp.peer-group.*.remote-as",
	"vrf.*.router.bgp.neighbor.*.address-family.*.policy", "vrf.*.router.bgp.peer-group.*.address-family.*.policy",
	"vrf.*.router.bgp.neighbor.*.address-family.*.aspath.allow-my-asn",
	"vrf.*.router.bgp.peer-group.*.address-family.*.aspath.allow-my-asn",
}

// keep removes all other parts from a tree or from commands. A command line above a tree stays, without the names in its prompt.
func keep(_ string, data []byte) (out []byte, dropped int, err error) {
	if grammar.AreCommands(data) {
		return keepCommands(data)
	}
	command, rest := grammar.Prompt(data)
	switch text := bytes.TrimSpace(rest); {
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		out, dropped, err = kept.JSON(rest, pathOf)
	default:
		out, dropped, err = kept.YAML(rest, pathOf)
	}
	if len(rest) == len(data) || err != nil {
		return out, dropped, err
	}
	above := ""
	if command != "" {
		above = plainPrompt + plainCommand(command)
	}
	if bytes.HasSuffix(data[:len(data)-len(rest)], []byte("\n")) {
		above += "\n"
	}
	return append([]byte(above), out...), dropped, nil
}

// plainPrompt replaces the prompt of a terminal, which contains the names of a user and of a device.
const plainPrompt = "cumulus@switch:~$ "

// plainCommand returns the first words of a command that prints a tree.
func plainCommand(command string) string {
	words := strings.Fields(command)
	if len(words) > 2 && words[0] == "nv" && words[1] == "config" && slices.Contains([]string{"show", "diff"}, words[2]) {
		return strings.Join(words[:3], " ")
	}
	return "cat"
}

// errCommands is the reason why commands are not kept.
var errCommands = errors.New("the paths of its commands cannot be found")

// keepCommands removes from a text all commands about other parts, and names, comments and other shell text. A remaining shell command
// has no effect.
func keepCommands(data []byte) (out []byte, dropped int, err error) {
	var to bytes.Buffer
	var lines [][]byte // a backslash at the end joins the lines
	for line := range bytes.Lines(data) {
		lines = append(lines, line)
		if text := bytes.TrimRight(line, "\r\n\t "); bytes.HasSuffix(text, []byte("\\")) && len(lines) < 100 {
			continue
		}
		dropped += keepLine(&to, lines)
		lines = lines[:0]
	}
	dropped += keepLine(&to, lines)
	if !sameCommands(data, to.Bytes()) {
		return nil, 0, errCommands
	}
	return to.Bytes(), dropped, nil
}

// keepLine writes the first command of one or more lines. It returns 1 if this command, or another one, was dropped.
func keepLine(to *bytes.Buffer, lines [][]byte) (dropped int) {
	joined, texts := "", make([]string, len(lines))
	for i, line := range lines {
		text := strings.TrimRight(string(line), "\r\n")
		if command, _ := grammar.Prompt([]byte(text)); i == 0 && command != "" {
			if shown := plainCommand(command); shown != "cat" {
				text = plainPrompt + shown
			} else {
				text = strings.Repeat(" ", utf8.RuneCountInString(text)-utf8.RuneCountInString(command)) + command
			}
		}
		for _, end := range []string{" #", ";"} {
			if at := strings.Index(text, end); at >= 0 && !strings.ContainsAny(text[:at], `'"`) {
				dropped = max(dropped, strings.Index(end, ";")+1)
				text = text[:at]
			}
		}
		texts[i] = text
		joined += " " + strings.TrimSuffix(strings.TrimRight(text, "\t "), "\\")
	}
	words := strings.Fields(joined)
	is := len(words) == 0 || strings.HasPrefix(joined[1:], plainPrompt) || keepsCommand(joined)
	for i, line := range lines {
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case is:
			to.WriteString(texts[i])
		case i > 0 || words[0][0] == '#' || words[0] == "nv" && len(words) > 1 && (words[1] == "set" || words[1] == "unset"):
		default:
			to.WriteString("true") // a command that sets nothing, since the text is a script
		}
		to.Write(line[len(text):])
	}
	if !is {
		dropped = 1
	}
	return dropped
}

// sameCommands reports whether the kept paths of two texts are set and unset in the same way.
func sameCommands(a, b []byte) bool {
	before, after := grammar.ReadLoosely(a, grammar.Any()), grammar.ReadLoosely(b, grammar.Any())
	of := func(t *grammar.Tree) map[string]string {
		out := map[string]string{}
		if t == nil {
			return out
		}
		t.Leaves(func(l grammar.Leaf) {
			if kept.Path(l.Path) {
				out[grammar.Spell(l.Path)] = fmt.Sprint(l.Bad, l.Shown())
			}
		})
		return out
	}
	return after.Commands && before.Printed == after.Printed && before.Part == after.Part && !before.Lost &&
		maps.Equal(of(before.Set), of(after.Set)) && maps.Equal(of(before.Unset), of(after.Unset))
}

// pathOf returns the path of a key below set and unset.
func pathOf(keys []string) []string {
	if keys[0] == "set" || keys[0] == "unset" {
		return keys[1:]
	}
	return keys
}

// keepsCommand reports whether a line sets or unsets only kept parts. A line with more than one command is not kept.
func keepsCommand(line string) bool {
	if strings.ContainsAny(line, ";&|`\\") || strings.Contains(line, "$(") {
		return false
	}
	words := strings.Fields(line)
	for i, w := range words {
		if words[i] = strings.Trim(w, `'"`); strings.ContainsAny(words[i], `'"`) {
			return false
		}
	}
	if len(words) > 0 && words[0] == "sudo" {
		words = words[1:]
	}
	if len(words) < 3 || words[0] != "nv" {
		return false
	}
	if words[1] == "config" { // the options may contain free text
		return len(words) == 3 || len(words) == 4 && slices.Contains([]string{"-y", "--assume-yes", "--confirm-yes"}, words[3])
	}
	return (words[1] == "set" || words[1] == "unset") && kept.Path(words[2:])
}
