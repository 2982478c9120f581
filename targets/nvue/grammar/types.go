package grammar

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocec/rocec/lang/diag"
)

// Kind is the kind of value at a path.
type Kind int

// The kinds of values.
const (
	Words    Kind = iota // one of some words
	OnOff                // on or off, in any spelling of a release
	Int                  // a whole number within bounds
	Set                  // any of 0 to 7, each as a key of an empty mapping
	Profile              // the name of a profile
	Anything             // rocec does not check the value
	Word                 // any scalar
	Members              // names of interfaces, each as a key of a mapping
)

// Type describes the valid values of a path.
type Type struct {
	Kind
	Words  []string // of Words: the words; of OnOff: the words for on and off
	Lo, Hi int      // of Int
	Unit   string   // of Int: "bytes", "m", "percent", "ms"; empty: a plain number
}

// Enum returns the type of one of some words.
func Enum(words ...string) Type { return Type{Kind: Words, Words: words} }

// Range returns the type of a whole number.
func Range(lo, hi int, unit string) Type { return Type{Kind: Int, Lo: lo, Hi: hi, Unit: unit} }

// Switch returns the type of on or off, in the spelling of a release.
func Switch(on, off string) Type { return Type{Kind: OnOff, Words: []string{on, off}} }

// The units of numbers.
const (
	Bytes   = "bytes"
	Metres  = "m"
	Percent = "percent"
	Millis  = "ms"
	Kbits   = "kbit/s"
)

// reserved lists the words that cannot name a profile.
var reserved = []string{"auto", "none", "null", "any", "all"}

// IsProfile reports whether a word can be the name of a profile. The manuals print no pattern and reserve five words, so only
// letters, digits, _, - and dots count as safe. Source: NVUE Format Reference 5.17.
func IsProfile(s string) bool {
	for i := range len(s) {
		letter := s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] >= '0' && s[i] <= '9'
		if !letter && (i == 0 || s[i] != '_' && s[i] != '.' && s[i] != '-') {
			return false
		}
	}
	return s != "" && len(s) <= 64 && !slices.Contains(reserved, s)
}

// On reads a switch, in any spelling of a release.
func On(t *Tree) (on, ok bool) {
	if !t.IsScalar() {
		return false, false
	}
	switch t.Value {
	case "on", "enable", "enabled", "true", "yes":
		return true, true
	case "off", "disable", "disabled", "false", "no":
		return false, true
	}
	return false, false
}

// Whole reads a whole number that is not negative, with or without quotes.
func Whole(t *Tree) (int, bool) {
	if !t.IsScalar() || len(t.Value) > 10 || t.Value == "" || digits(t.Value) != len(t.Value) || len(t.Value) > 1 && t.Value[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(t.Value)
	return n, err == nil
}

// Digits reads the priorities of a set, as bits. Other keys are ignored.
func Digits(t *Tree) (bits uint8) {
	for k := range t.MapOf() {
		if len(k) == 1 && k[0] >= '0' && k[0] <= '7' {
			bits |= 1 << (k[0] - '0')
		}
	}
	return bits
}

// MapOf returns the entries of a mapping, for reading only; nil for any other value.
func (t *Tree) MapOf() map[string]*Tree {
	if t == nil {
		return nil
	}
	return t.Kids
}

// Wrong describes the mistake in a value, as the part of a sentence after its path; empty if the value is valid.
func (y Type) Wrong(t *Tree) string {
	shown := diag.Escape(t.Shown())
	switch y.Kind {
	case Words:
		if !t.IsScalar() || !slices.Contains(y.Words, t.Value) {
			return fmt.Sprintf("is %s, but must be %s", shown, diag.Or(y.Words))
		}
	case OnOff:
		if _, ok := On(t); !ok {
			return fmt.Sprintf("is %s, but must be %s", shown, diag.Or(y.Words))
		}
	case Int:
		n, ok := Whole(t)
		if !ok || n < y.Lo || n > y.Hi {
			return fmt.Sprintf("is %s, but must be a whole number from %d to %d%s", shown, y.Lo, y.Hi, y.unit())
		}
	case Set:
		if !t.IsMap() {
			return fmt.Sprintf("is %s, but must be a mapping with a key for each priority, such as '3': {}", shown)
		}
		for _, k := range t.Keys() {
			if len(k) != 1 || k[0] < '0' || k[0] > '7' {
				return fmt.Sprintf("contains %s, but priorities are 0 to 7", diag.Escape(k))
			}
		}
	case Word:
		if !t.IsScalar() {
			return fmt.Sprintf("is %s, but must be a word", shown)
		}
	case Members:
		if !t.IsMap() {
			return fmt.Sprintf("is %s, but must be a mapping", shown)
		}
	case Profile:
		if !t.IsScalar() || !IsProfile(t.Value) {
			return fmt.Sprintf("is %s, which cannot be the name of a profile", shown)
		}
	}
	return ""
}

func (y Type) unit() string {
	if y.Unit == "" {
		return ""
	}
	return " (" + y.Unit + ")"
}
