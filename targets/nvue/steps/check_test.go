package steps_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nvue/steps"
)

var base, goal = commands.Sum([]byte("before")), commands.Sum([]byte("after"))

const patch = `- unset:
    qos:
      pfc:
        default-global:
          switch-priority:
            '3':
    interface:
      swp1:
        qos:
          pfc:
- set:
    qos:
      mapping:
        default-global:
          dscp:
            '26':
              switch-priority: 3
          trust: l3
      pfc:
        rocec-5m:
          switch-priority:
            '3': {}
          tx: 'on'
    interface:
      'swp2-4,7':
        qos:
          pfc:
            profile: rocec-5m
      swp5: {}
`

// TestPatch: the patch of a step is the input of the step and stays as it is.
func TestPatch(t *testing.T) {
	made, err := steps.Recall([]string{"patch", base, goal}, []byte(base+"\n"+patch))
	require.NoError(t, err)
	require.Equal(t, "nvue patch "+base+" "+goal, made.Name())
	require.Equal(t, base+"\n"+patch, made.Step.Stdin)
	_, err = steps.Recall([]string{"patch", base, goal}, []byte(base+"\n"))
	require.NoError(t, err, "nothing differs")
	for _, words := range [][]string{{"patch"}, {"tree"}} {
		made, err := steps.Recall(words, []byte("rm -rf /"))
		require.NoError(t, err)
		require.Equal(t, "nvue "+words[0], made.Name())
	}
	for _, words := range [][]string{
		nil,
		{""},
		{"tree", ""},
		{"patch", base},
		{"patch", base, "absent"},
		{"patch", "absent", goal},
		{"patch", base, strings.ToUpper(goal)},
		{"patch", base, goal, ""},
		{"patch", "$(reboot)", goal},
	} {
		_, err := steps.Recall(words, []byte(base+"\n"+patch))
		require.ErrorAs(t, err, new(*commands.Unknown), "%q", words)
	}
	require.Error(t, steps.File("/etc/nvue.d/startup.yaml", nil))
}

// TestHostilePatches: a patch that rocec does not make is refused.
func TestHostilePatches(t *testing.T) {
	in := func(lines ...string) string { return "- set:\n" + strings.Join(lines, "\n") + "\n" }
	qos := func(line string) string { return in("    qos:", "      "+line) }
	for name, text := range map[string]string{
		"a user":                    in("    system:", "      aaa:", "        user:", "          x: {}"),
		"a service":                 in("    service: {}"),
		"a router":                  in("    router:", "      bgp: {}"),
		"a VRF":                     in("    vrf: {}"),
		"a name with a key of qos":  in("    qos-x: {}"),
		"an address":                in("    interface:", "      swp1:", "        ip: {}"),
		"a link":                    in("    interface:", "      swp1:", "        link:", "          state: down"),
		"beside qos":                in("    interface:", "      swp1:", "        qos:", "          pfc: {}", "        type: swp"),
		"a type":                    in("    interface:", "      swp1: swp"),
		"all interfaces set":        in("    interface: {}"),
		"all interfaces unset":      "- unset:\n    interface:\n",
		"an interface unset":        "- unset:\n    interface:\n      swp1:\n",
		"an interface unset, first": "- unset:\n    interface:\n      swp1:\n    qos:\n",
		"a value unset":             "- unset:\n    qos: {}\n",
		"set before unset":          qos("roce: {}") + "- unset:\n    qos:\n",
		"two that set":              qos("roce: {}") + qos("roce: {}"),
		"two that unset":            "- unset:\n    qos:\n- unset:\n    qos:\n",
		"an empty document":         "- set:\n",
		"an empty document of two":  "- unset:\n- set:\n    qos:\n      roce: {}\n",
		"a mapping in braces":       "- set: {system: {hostname: x}}\n",
		"a header":                  "- header:\n    qos: {}\n",
		"a key twice":               in("    qos: {}", "    qos: {}"),
		"a key twice, in quotes":    in("    qos:", "      'pfc': {}", "      pfc: {}"),
		"no value":                  in("    qos:"),
		"no value below":            in("    qos:", "      pfc:", "    interface:", "      swp1: {}"),
		"no end":                    "- set:\n    qos: {}",
		"an anchor":                 qos("pfc: &a {}"),
		"an alias":                  qos("pfc: *a"),
		"a merge":                   qos("<<: *a"),
		"a tag":                     qos("pfc: !!python/object:os.system x"),
		"a tag of a key":            qos("!!str pfc: {}"),
		"a list":                    qos("pfc: []"),
		"an item":                   qos("- pfc"),
		"braces":                    qos("pfc: {a: b}"),
		"a text of several lines":   qos("pfc: |"),
		"a folded text":             qos("pfc: >-"),
		"a comment":                 qos("pfc: {} # x"),
		"a line of comment":         qos("# x"),
		"double quotes":             qos(`pfc: "a"`),
		"an escape":                 qos(`pfc: "\u0041"`),
		"a quote in quotes":         qos("pfc: 'a''b'"),
		"a line in quotes":          qos("pfc: 'a\n    b'"),
		"an open quote":             qos("pfc: 'a"),
		"blanks":                    qos("pfc: 'a b'"),
		"a blank at the end":        qos("pfc: {} "),
		"two blanks":                qos("pfc:  {}"),
		"a command":                 qos("pfc: '$(reboot)'"),
		"a command without quotes":  qos("pfc: $(reboot)"),
		"back quotes":               qos("pfc: '`reboot`'"),
		"a template":                qos("pfc: '{{x}}'"),
		"a tab":                     qos("pfc:\t{}"),
		"tabs for blanks":           in("\tqos: {}"),
		"an odd number of blanks":   in("     qos: {}"),
		"too deep":                  in("    qos:", "          pfc: {}"),
		"too shallow":               in("  qos: {}"),
		"below a value":             in("    qos: {}", "      pfc: {}"),
		"at the margin":             in("qos: {}"),
		"CRLF":                      "- set:\r\n    qos: {}\r\n",
		"CR":                        qos("pfc: a\rb"),
		"NUL":                       qos("pfc: a\x00"),
		"an escape of a terminal":   qos("pfc: a\x1b[2J"),
		"other letters":             qos("pfc: ä"),
		"a blank of Unicode":        qos("pfc:\u00a0{}"),
		"a line of Unicode":         qos("pfc: a\u2028b"),
		"a mark of bytes":           "\ufeff- set:\n    qos: {}\n",
		"a marker":                  "---\n- set:\n    qos: {}\n",
		"an end":                    in("    qos: {}", "..."),
		"a directive":               "%YAML 1.1\n",
		"a blank line":              in("    qos: {}", ""),
		"a command line":            "nv set system hostname x\n",
		"JSON":                      `[{"set": {"system": {}}}]` + "\n",
		"a long key":                qos(strings.Repeat("a", 200) + ": {}"),
		"a null":                    qos("pfc: ~"),
		"depth":                     deep(20),
		"10 MB":                     strings.Repeat(qos("roce: {}"), 10<<20/32),
	} {
		assert.Error(t, steps.Check(base, []byte(base+"\n"+text)), name)
	}
	for name, text := range map[string]string{
		"nothing": "", "no sum": patch, "another sum": goal + "\n" + patch, "no line": base, "CRLF": base + "\r\n", "blanks": " " + base + "\n",
		"a sum in capitals": strings.ToUpper(base) + "\n", "a blank line": base + "\n\n" + patch,
	} {
		assert.Error(t, steps.Check(base, []byte(text)), name)
	}
}

// TestLargest: a patch may have 1 MiB, and no more.
func TestLargest(t *testing.T) {
	var text strings.Builder
	text.WriteString(base + "\n- set:\n    qos:\n")
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "      a%07d: {}\n", i)
	}
	line := len("      a0000000: {}\n")
	require.Error(t, steps.Check(base, []byte(text.String())))
	require.NoError(t, steps.Check(base, []byte(text.String()[:text.Len()-line])))
}

func deep(n int) string {
	var text strings.Builder
	text.WriteString("- set:\n    qos:\n")
	for i := range n {
		text.WriteString(strings.Repeat("  ", i+3) + "a:\n")
	}
	return strings.TrimSuffix(text.String(), "\n") + " {}\n"
}

// TestOneMoreLine: a line of another kind is refused at every place of a patch.
func TestOneMoreLine(t *testing.T) {
	lines := strings.SplitAfter(base+"\n"+patch, "\n")
	for _, more := range []string{
		"    system: {}\n", "    system:\n", "- header:\n", "nv config apply\n", "\n", "#\n", "    'qos': &a {}\n", "...\n", "\t\n",
		"      - x\n",
		"        ip: {}\n", "        ip:\n", "- set: {}\n", "    qos: []\n", "\x00\n", "    interface: {}\n",
	} {
		for i := range lines {
			text := strings.Join(slices.Insert(slices.Clone(lines), i, more), "")
			if strings.TrimLeft(more, " ") == "ip:\n" || strings.TrimLeft(more, " ") == "ip: {}\n" {
				if steps.Check(base, []byte(text)) == nil { // a key of qos may have any name
					assert.Contains(t, []string{"qos", "pfc", "mapping"}, above(lines[:i], 4), "line %d: %s", i, more)
				}
				continue
			}
			assert.Error(t, steps.Check(base, []byte(text)), "line %d: %s", i, more)
		}
	}
}

// above returns the key of a depth, by its column, under which a line would stand.
func above(lines []string, column int) string {
	for _, line := range slices.Backward(lines) {
		if text := strings.TrimLeft(line, " "); len(line)-len(text) == column {
			return strings.TrimSuffix(text, ":\n")
		}
	}
	return ""
}

// FuzzCheck: for any bytes, what Check accepts has only lines of the strict form, and concerns only qos.
func FuzzCheck(f *testing.F) {
	f.Add(patch)
	f.Add("- unset:\n    qos:\n")
	f.Fuzz(func(t *testing.T, text string) {
		if steps.Check(base, []byte(base+"\n"+text)) != nil {
			return
		}
		for line := range strings.Lines(text) {
			assert.Empty(t, strings.Trim(line, " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@+:,{}'\n-"))
			if strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "     ") {
				assert.Contains(t, []string{"qos", "interface"}, strings.Trim(strings.SplitN(strings.TrimSpace(line), ":", 2)[0], "'"))
			}
		}
	})
}
