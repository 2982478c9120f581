package steps

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// NIC is a NIC in the name of a query or step. It is one word, such as IF,carries,vlan=N.
type NIC struct {
	Name string
	At   []string // where its settings are, and numbered keys to look at, as KEY=VALUE

	Carries bool // of apply: it carries an intent
	Leaves  bool // of store: the NIC leaves, so the script forgets the stored parameters from before rocec
	Taken   bool // of leave: a card of another family has its name now
	Plain   bool // of leave: its settings from before rocec are unknown, and it gets those of [Kit.Defaults]
}

// VLAN returns the VLAN of the settings; 0: none.
func (n *NIC) VLAN() (id int) {
	for _, arg := range n.At {
		if text, is := strings.CutPrefix(arg, "vlan="); is {
			id, _ = strconv.Atoi(text) //nolint:errcheck // 0: none
		}
	}
	return id
}

// Where returns At as arguments of a command.
func (n *NIC) Where() string {
	var args strings.Builder
	for _, arg := range n.At {
		args.WriteString(" " + Quote(arg))
	}
	return args.String()
}

// Word returns the word for a NIC in the name of a query or step. parseNIC parses it.
func Word(name string, flags []string, at []string) string {
	var b strings.Builder
	b.WriteString(commands.Spell(name))
	for _, flag := range flags {
		b.WriteString("," + flag)
	}
	for _, arg := range at {
		key, value, _ := strings.Cut(arg, "=")
		b.WriteString("," + key + "=" + commands.Spell(value))
	}
	return b.String()
}
