package tools

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// Readers of values that several tools print in the same form.

// number reads a number from 0 to most.
func number(word string, most int) (int, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(word), 0, 31)
	if err != nil { // 08 is decimal here
		n, err = strconv.ParseUint(strings.TrimSpace(word), 10, 31)
	}
	return int(n), err == nil && int(n) <= most
}

// digits reads at most n numbers up to most, separated by white space or commas.
func digits(text string, n, most int) ([]int, bool) {
	var out []int
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' }) {
		v, ok := number(strings.TrimSuffix(word, "%"), most)
		if !ok || len(out) == n {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) > 0
}

// pairs reads "0:a 1:b all:c", also separated by commas, and calls use with each key and value. The key all means every key up to most.
func pairs(text string, key func(word string) (int, bool), most int, use func(key int, value string) bool) bool {
	some := false
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' }) {
		name, value, ok := strings.Cut(word, ":")
		first, last := 0, most
		if name != "all" {
			k, is := key(name)
			if !is || k > most {
				return false
			}
			first, last = k, k
		}
		for k := first; k <= last; k++ {
			if !ok || !use(k, value) {
				return false
			}
		}
		some = true
	}
	return some
}

func plainKey(word string) (int, bool) { return number(word, 1<<16) }

// codePoints are the names of /etc/iproute2/rt_dsfield as shipped.
var codePoints = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"default": 0, "CS0": 0, "CS1": 8, "CS2": 16, "CS3": 24, "CS4": 32, "CS5": 40, "CS6": 48, "CS7": 56, "EF": 46, "LE": 1, "VOICE-ADMIT": 44,
		"AF11": 10, "AF12": 12, "AF13": 14, "AF21": 18, "AF22": 20, "AF23": 22, "AF31": 26, "AF32": 28, "AF33": 30, "AF41": 34, "AF42": 36,
		"AF43": 38,
	}
})

func dscpKey(word string) (int, bool) {
	if v, ok := codePoints()[strings.ToUpper(word)]; ok {
		return v, true
	}
	return number(word, 63)
}

func say(ok bool) string {
	if ok {
		return ""
	}
	return noSense
}

// setEach sets the values of eight places from "0:v 1:v".
func setEach[T any](r *reader, f ir.Field, text string, value func(word string) (T, bool), at func(*facts) *[8]T) string {
	found := map[int]T{}
	ok := pairs(text, plainKey, 7, func(k int, word string) bool {
		v, is := value(word)
		found[k] = v
		return is
	})
	if !ok {
		return noSense
	}
	for _, k := range slices.Sorted(maps.Keys(found)) {
		put(r, f, k, found[k], func(n *facts) *T { return &at(n)[k] })
	}
	return ""
}

// setList sets the first values of eight places from "v,v,v".
func setList[T any](r *reader, f ir.Field, values []T, at func(*facts) *[8]T) {
	for k, v := range values {
		put(r, f, k, v, func(n *facts) *T { return &at(n)[k] })
	}
}

// small converts numbers to the type of the facts.
func small(values []int) []int8 {
	out := make([]int8, len(values))
	for i, v := range values {
		out[i] = int8(v)
	}
	return out
}

func smallWord(most int) func(word string) (int8, bool) {
	return func(word string) (int8, bool) {
		n, ok := number(strings.TrimSuffix(word, "%"), most)
		return int8(n), ok
	}
}

func onOff(word string) (int8, bool) {
	switch word {
	case "on", "true", "1":
		return 1, true
	case "off", "false", "0":
		return 0, true
	}
	return -1, false
}

func algorithm(word string) (int8, bool) {
	a, ok := algorithms()[strings.ToLower(word)]
	return a, ok
}

// mask sets PFC of all priorities.
func (r *reader) mask(on uint8) {
	for prio := range 8 {
		put(r, ir.FieldPauses, prio, int8(on>>prio&1), func(n *facts) *int8 { return &n.pfc[prio] })
	}
}

// enabled reads the priorities with PFC as "3", "1 2 5", "3,4" or "none".
func (r *reader) enabled(text string) string {
	on := uint8(0)
	if !slices.Contains([]string{"none", "0xff", "0xFF"}, strings.TrimSpace(text)) {
		list, ok := digits(text, 8, 7)
		if !ok {
			return noSense
		}
		for _, prio := range list {
			on |= 1 << prio
		}
	}
	r.mask(on)
	return ""
}

// dscp sets the priority of a DSCP; -1: the priority is not known.
func (r *reader) dscp(value, prio int) {
	put(r, ir.FieldDSCP, value, int8(prio), func(n *facts) *int8 { return &n.dscp[value] })
}

// noDSCP makes the priority of every DSCP unknown.
func (r *reader) noDSCP() {
	for v := range 64 {
		r.dscp(v, -1)
	}
}

func (r *reader) trust(t int8) {
	put(r, ir.FieldTrust, -1, t, func(n *facts) *int8 { return &n.trust })
}

// units contains the suffixes of rates in iproute2, in bit/s.
var units = sync.OnceValue(func() map[string]float64 {
	return map[string]float64{
		"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "tbit": 1e12, "kibit": 1 << 10, "mibit": 1 << 20, "gibit": 1 << 30, "tibit": 1 << 40,
		"bps": 8, "kbps": 8e3, "mbps": 8e6, "gbps": 8e9, "tbps": 8e12,
	}
})

// rate reads a rate of iproute2 in bit/s.
func rate(word string) (int64, bool) {
	i := strings.IndexFunc(word, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	if i < 0 {
		i = len(word)
	}
	n, err := strconv.ParseFloat(word[:i], 64)
	unit, ok := units()[strings.ToLower(word[i:])]
	if word[i:] == "" {
		unit, ok = 1, true
	}
	n *= unit
	return int64(n), err == nil && ok && n < math.MaxInt64/2
}

// size reads a size of iproute2 in bytes: "18048b", "128Kb", "1Mb".
func size(word string) (int, bool) {
	i := strings.IndexFunc(word, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	if i < 0 {
		i = len(word)
	}
	n, err := strconv.ParseFloat(word[:i], 64)
	unit, ok := map[string]float64{"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20}[strings.ToLower(word[i:])]
	n *= unit
	return int(n), err == nil && ok && n < math.MaxInt32
}

// option is an option in a command line.
type option struct {
	row   *Statement
	value string
}

// options reads a command line as optparse and getopt do, with unambiguous beginnings of long names. bad is the first word that is not an
// option.
func (p *Printout) options(args []string) (out []option, bad string) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var row *Statement
		value, given := "", false
		switch {
		case strings.HasPrefix(arg, "--"):
			var name string
			name, value, given = strings.Cut(arg, "=")
			for i := range p.Options {
				if o := &p.Options[i]; o.Key == name || row == nil && len(name) > 2 && strings.HasPrefix(o.Key, name) {
					row = o
					if o.Key == name {
						break
					}
				}
			}
		case len(arg) > 1 && arg[0] == '-':
			for i := range p.Options {
				if o := &p.Options[i]; o.Short != "" && strings.HasPrefix(arg, o.Short) {
					row = o
					value, given = strings.TrimPrefix(arg[len(o.Short):], "="), len(arg) > len(o.Short)
				}
			}
		}
		if row == nil {
			return out, arg
		}
		if !row.flag && !given {
			if len(args) == 0 {
				return out, arg
			}
			value, args = args[0], args[1:]
		}
		out = append(out, option{row, value})
	}
	return out, ""
}

// option returns the statement of an option; nil: the tool has no such option.
func (p *Printout) option(key string) *Statement {
	for i := range p.Options {
		if p.Options[i].Key == key {
			return &p.Options[i]
		}
	}
	return nil
}

// optionOf returns the value of an option; empty: the option is missing.
func optionOf(all []option, key string) string {
	value := ""
	for _, o := range all {
		if o.row.Key == key {
			value = o.value
		}
	}
	return value
}

// refuse counts a command line that the tool does not accept.
func (r *reader) refuse(word string) {
	r.miss(r.text, noOption+": "+word)
}
