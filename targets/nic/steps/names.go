package steps

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// Step returns the step with a name. words are those after the name of the driver. The error is a [*commands.Unknown].
func (k *Kit) Step(words []string) (*commands.Step, error) {
	name := k.name(words)
	if nics, ok := Parse(words); ok && len(name) <= commands.MostName {
		var s *commands.Step
		switch verb := words[0]; {
		case verb == "apply" && len(nics) > 0:
			s = k.Apply(nics)
		case verb == "leave": // without NICs it only removes the files of the family
			s = k.Leave(nics)
		}
		if s != nil && s.Name == name {
			return s, nil
		}
	}
	return nil, &commands.Unknown{Name: name}
}

// Recall returns the function that makes the step or the query of a kit with a name. No step of a host gets data from outside.
func Recall(k *Kit) func(words []string, stdin []byte) (*commands.Made, error) {
	return func(words []string, _ []byte) (*commands.Made, error) {
		if s, err := k.Step(words); err == nil {
			return &commands.Made{Step: s}, nil
		}
		q, err := k.Query(words)
		if err != nil {
			return nil, err
		}
		return &commands.Made{Query: q}, nil
	}
}

// Query returns the query with a name. words are those after the name of the driver. The error is a [*commands.Unknown].
func (k *Kit) Query(words []string) (*commands.Query, error) {
	name := k.name(words)
	if nics, ok := Parse(words); ok && len(name) <= commands.MostName {
		var q *commands.Query
		switch verb := words[0]; {
		case verb == "show" && len(nics) == 1:
			q = k.Show(nics[0])
		case verb == "look" && len(nics) == 1:
			q = k.Look(nics[0])
		case verb == "held" && len(nics) == 0:
			q = k.Held()
		}
		if q != nil && q.Name == name {
			return q, nil
		}
	}
	return nil, &commands.Unknown{Name: name}
}

// name returns the whole name with some words.
func (k *Kit) name(words []string) string {
	if len(words) == 0 {
		return k.Driver
	}
	return k.Driver + " " + strings.Join(words, " ")
}

// NIC is a NIC in the name of a query or step. It is one word, such as IF,carries,vlan=N.
type NIC struct {
	Name string
	At   []string // where its settings are: bond, vlan, vlan_ip and vf_roce_N, as KEY=VALUE

	Carries bool // of apply: it carries an intent
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

// where returns At as arguments of a command.
func (n *NIC) where() string {
	var args strings.Builder
	for _, arg := range n.At {
		args.WriteString(" " + Quote(arg))
	}
	return args.String()
}

// Parse returns the NICs in the words of a name. The first word is a verb. ok is false without a verb, or if another word is no NIC.
func Parse(words []string) (nics []NIC, ok bool) {
	if len(words) == 0 {
		return nil, false
	}
	have := map[string]bool{}
	for _, word := range words[1:] {
		n, ok := parseNIC(word)
		if !ok || have[n.Name] {
			return nil, false
		}
		have[n.Name] = true
		nics = append(nics, n)
	}
	return nics, true
}

func parseNIC(word string) (n NIC, ok bool) {
	parts := strings.Split(word, ",")
	if n.Name, ok = commands.Spelled(parts[0]); !ok || !IsNetdev(n.Name) {
		return n, false
	}
	for _, part := range parts[1:] {
		key, value, stated := strings.Cut(part, "=")
		switch {
		case stated:
			if value, ok = commands.Spelled(value); !ok || !IsPlace(key, value) {
				return n, false
			}
			n.At = append(n.At, key+"="+value)
		case key == "carries":
			n.Carries = true
		case key == "taken":
			n.Taken = true
		case key == "plain":
			n.Plain = true
		default:
			return n, false
		}
	}
	return n, true
}

// word returns the word for a NIC in the name of a query or step. parseNIC parses it.
func word(name string, flags []string, at []string) string {
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

// IsPlace reports whether a key and its value state where the settings of a NIC are, in the spelling that rocec writes.
func IsPlace(key, value string) bool {
	switch key {
	case "bond":
		return IsNetdev(value)
	case "vlan":
		n, err := strconv.Atoi(value)
		return err == nil && 1 <= n && n <= 4094 && strconv.Itoa(n) == value
	case "vlan_ip":
		p, err := netip.ParsePrefix(value)
		return err == nil && p.String() == value && p.Addr().Zone() == ""
	}
	vf, is := strings.CutPrefix(key, VFKey)
	n, err := strconv.Atoi(vf)
	return is && err == nil && n >= 0 && n < 1<<16 && strconv.Itoa(n) == vf && (value == "on" || value == "off")
}

// VFKey begins the only numbered keys: one key for each virtual function in the fabric, "on" or "off".
const VFKey = "vf_roce_"

// IsNetdev reports whether a text can be the name of a Linux interface and a part of paths and unit names.
func IsNetdev(s string) bool {
	if s == "" || len(s) > 15 || s == "." || s == ".." {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '/' || r > '~' })
}
