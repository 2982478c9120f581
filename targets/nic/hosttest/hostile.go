package hosttest

import "strings"

// Evil runs a command if a shell evaluates it as arithmetic or expands it without quotes. The command makes the file owned.
const Evil = `1?a[$(touch${IFS}owned)]:0`

// Prints is the output of a hostile tool, as commands of a shell.
type Prints struct{ Name, Commands string }

// Executes reports whether the text contains commands that a careless script would execute. Shells differ in what they execute.
func (p *Prints) Executes() bool { return strings.Contains(p.Commands, Evil) }

// Hostile returns the outputs of hostile tools: huge, without an end of the line, binary, cut off, empty, and with commands. The texts have
// the words that the scripts of all families look for. own are further lines with the words of one family.
func Hostile(own ...string) []Prints {
	lines := append([]string{
		`prio-pfc ` + Evil + ` tc-bw 0:` + Evil + ` prio-tc 0:$(touch${IFS}owned) dscp-prio 3:1 ` + Evil + `:1 ` + Evil + `:1 2:1`,
		`delay ` + Evil, "`touch owned`", "; touch owned", "$(touch owned)", "RX: $(touch owned)",
		`tc: 1 ratelimit: unlimited, tsa: ets, bw: ` + Evil + `%`, `enabled 1 ` + Evil, `	prio:1 dscp:` + Evil + `,` + Evil + `,03,`,
	}, own...)
	return []Prints{
		{"a megabyte", `yes '0:on 1:0 { 2:strict } prio-pfc 3:1 RX: on tc-bw 1:2 dscp-prio 1:2 enabled 1' | head -c 1000000`},
		{"one long line", `head -c 1000000 /dev/zero | tr '\0' 3`},
		{"binary", `head -c 20000 /dev/urandom; printf '\0\033[31m\r\n dscp-prio 0:\0331 prio-pfc 0:\033'`},
		{"wrong JSON", `printf '{"pfc_cap":8,"prio_pfc":[true,{"'; exit 0`},
		{"nothing", `exit 0`},
		{"commands", `printf '%s\n' '` + strings.Join(lines, "' '") + `'`},
	}
}

// HostileFiles are the contents of files of a hostile driver.
var HostileFiles = []string{
	strings.Repeat("1", 5000), strings.Repeat("Global tclass=4 src_ip=1,tclass=2\n", 200), "\x00\x1b[31m\r\xff", Evil, "$(touch owned)", "",
}
