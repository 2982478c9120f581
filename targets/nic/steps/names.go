package steps

import (
	"net/netip"
	"slices"
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
		case verb == "store" && len(nics) > 0 && k.Store != nil && storeSome(nics):
			s = k.Store(k, nics)
		case verb == "leave": // without NICs it only removes the files of the family
			s = k.Leave(nics)
		}
		if s != nil && s.Name == name {
			return s, nil
		}
	}
	return nil, &commands.Unknown{Name: name}
}

// storeSome reports whether every NIC states what its card stores.
func storeSome(nics []NIC) bool {
	return !slices.ContainsFunc(nics, func(n NIC) bool {
		return !slices.ContainsFunc(n.At, func(arg string) bool { return strings.HasPrefix(arg, StoredKey) })
	})
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
		case verb == "stored" && len(nics) == 1 && k.Stored != nil && storeSome(nics):
			q = k.Stored(k, nics[0])
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
		case key == "leaves":
			n.Leaves = true
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
	for _, prefix := range []string{DCQCNKey, StoredKey} {
		if name, is := strings.CutPrefix(key, prefix); is {
			n, err := strconv.ParseUint(value, 10, 32)
			return isParameter(name) && err == nil && strconv.FormatUint(n, 10) == value
		}
	}
	if key == StallKey {
		n, err := strconv.Atoi(value)
		return value == "auto" || value == "off" || err == nil && 80 <= n && n <= 8000 && strconv.Itoa(n) == value
	}
	vf, is := strings.CutPrefix(key, VFKey)
	n, err := strconv.Atoi(vf)
	return is && err == nil && n >= 0 && n < 1<<16 && strconv.Itoa(n) == vf && (value == "on" || value == "off")
}

// The beginnings of keys that a value file has only where the fabric states them. VFKey is followed by the number of a virtual function,
// DCQCNKey and StoredKey by the name of a parameter. Stored parameters are compared, and set by a step of their own.
const (
	VFKey     = "vf_roce_"
	DCQCNKey  = "dcqcn_"
	StoredKey = "nvram_"
)

// StallKey is the key of the time of stall prevention.
const StallKey = "stall_prevention"

// isParameter reports whether a text can be the name of a parameter, and a part of a path and of a tool's argument.
func isParameter(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool { return r > '~' || !alnum(byte(r)) && r != '_' })
}

// IsNetdev reports whether a text can be the name of a Linux interface and a part of paths and unit names.
func IsNetdev(s string) bool {
	if s == "" || len(s) > 15 || s == "." || s == ".." {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '/' || r > '~' })
}
