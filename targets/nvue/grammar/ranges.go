package grammar

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/rocec/rocec/lang/diag"
)

// expand splits keys that name several. NVUE stores what a person typed, so that swp1-4 and swp2 may be next to each other. Their
// settings are merged, and must not differ.
func (r *reader) expand(t *Tree, path []string) (*Tree, error) {
	if !ranged(t, path) {
		return t, nil
	}
	out := *t
	out.Kids = make(map[string]*Tree, len(t.Kids))
	for _, key := range t.Keys() {
		kid, err := r.expand(t.Kids[key], append(path, key))
		if err != nil {
			return nil, err
		}
		names := singles(path, key)
		r.ranges = r.ranges || len(names) > 1 || names[0] != key
		for i, name := range names {
			one := kid
			if i > 0 {
				one = kid.Clone()
				if r.entries += one.size(); r.entries > maxEntries {
					return nil, refuse(kid.Key, "its ranges name more than %s entries", diag.Number(maxEntries))
				}
			}
			have := out.Kids[name]
			if have == nil {
				out.Kids[name] = one
				continue
			}
			if err := r.merge(have, one, true); err != nil {
				return nil, err
			}
		}
	}
	return &out, nil
}

// ranged reports whether a tree has a key that may be a range or a list of keys.
func ranged(t *Tree, path []string) bool {
	several := t.Kids != nil && (byName(path) || byNumber(path))
	for key, kid := range t.Kids {
		if several && strings.ContainsFunc(key, func(c rune) bool { return c == ',' || c == '-' || unicode.IsSpace(c) }) {
			return true
		}
		if len(kid.Kids) > 0 && ranged(kid, append(path, key)) {
			return true
		}
	}
	return false
}

// singles returns the single keys of a key below a path.
func singles(path []string, key string) []string {
	switch {
	case byName(path):
		return Names(key)
	case byNumber(path):
		return Numbers(key)
	}
	return []string{key}
}

func (t *Tree) size() int {
	n := 1
	for _, k := range t.Kids {
		n += k.size()
	}
	for _, k := range t.Items {
		n += k.size()
	}
	return n
}

// merge adds the settings of one tree to another. Later parts of a document override earlier ones. strict refuses two that differ.
func (r *reader) merge(into, from *Tree, strict bool) error {
	switch {
	case into.Bad:
		return nil
	case from.Bad || !into.IsMap() && len(from.Kids) > 0:
		if err := r.slip(refuse(from.Key, "ranges set it to several values, and line %[2]d sets it to %[1]s", diag.Escape(into.Shown()),
			into.Key.Line)); err != nil {
			return err
		}
		into.Kids, into.Items, into.Value, into.Bad = nil, nil, "", true
		return nil
	}
	into.Open = into.Open || from.Open
	for _, key := range from.Keys() {
		have, next := into.Kids[key], from.Kids[key]
		switch {
		case have == nil:
			into.Kids[key] = next
		case have.Bad || next.Bad:
			into.Kids[key] = &Tree{Bad: true, At: next.At, Key: next.Key}
		case have.IsMap() && next.IsMap():
			if err := r.merge(have, next, strict); err != nil {
				return err
			}
		case strict && !have.Equal(next):
			err := r.slip(refuse(next.Key, "%s is set twice by ranges, to %s and in line %d to %s. It is unknown which one counts",
				diag.Escape(key), diag.Escape(have.Shown()), have.Key.Line, diag.Escape(next.Shown())))
			if err != nil {
				return err
			}
			into.Kids[key] = &Tree{Bad: true, At: next.At, Key: next.Key}
		default:
			into.Kids[key] = next
		}
	}
	return nil
}

// byName reports whether the keys below a path are names of interfaces.
func byName(path []string) bool {
	return len(path) == 1 && path[0] == "interface" || len(path) == 4 && path[0] == "interface" && path[2] == "bond" && path[3] == "member"
}

// byNumber reports whether the keys below a path are numbers of priorities, classes or code points.
func byNumber(path []string) bool {
	if len(path) < 3 || path[0] != "qos" {
		return false
	}
	switch path[len(path)-1] {
	case "switch-priority", "traffic-class", "pcp", "dscp":
		return true
	}
	return false
}

// mostNames is the maximum number of names or numbers in one key; the largest switch has 258 ports.
const mostNames = 4096

// span matches a range of names: swp1-4, swp1-swp4, swp1s0-3, swp1s0-swp1s3, bond1-2.
var span = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?[^0-9])([0-9]{1,7})-(?:(.*?[^0-9])?)([0-9]{1,7})$`)
})

// Names returns the names of interfaces in a key: "swp1-4,swp6". A text that is not a range is a single name, whatever its characters.
func Names(key string) []string {
	if !strings.ContainsAny(key, ",-") {
		return []string{strings.TrimSpace(key)}
	}
	var out []string
	for item := range strings.SplitSeq(key, ",") {
		item = strings.TrimSpace(item)
		m := span().FindStringSubmatch(item)
		if m == nil || m[3] != "" && m[3] != m[1] || !appendRange(&out, m[1], m[2], m[4]) {
			out = append(out, item)
		}
		if len(out) > mostNames {
			return []string{key}
		}
	}
	return out
}

// Numbers returns the numbers in a key: "3,5", "0-2,4". An item that is neither a number nor a range of numbers stays unchanged.
func Numbers(key string) []string {
	if !strings.ContainsAny(key, ",-") {
		return []string{strings.TrimSpace(key)}
	}
	var out []string
	for item := range strings.SplitSeq(key, ",") {
		item = strings.TrimSpace(item)
		from, to, ranged := strings.Cut(item, "-")
		if !ranged || digits(from) != len(from) || digits(to) != len(to) || !appendRange(&out, "", from, to) {
			out = append(out, item)
		}
		if len(out) > mostNames {
			return []string{key}
		}
	}
	return out
}

// appendRange adds the names from one number to another. Not ok: the numbers are not in order, or far too many.
func appendRange(out *[]string, prefix, from, to string) bool {
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	if errA != nil || errB != nil || a > b || b-a >= mostNames || len(from) > 1 && from[0] == '0' {
		return false
	}
	for n := a; n <= b; n++ {
		*out = append(*out, prefix+strconv.Itoa(n))
	}
	return true
}
