// Package mask replaces names, addresses and serial numbers in texts by words ([Mask]), so that people may publish the output of their
// devices.
package mask

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/nodeset"
)

// Kind is a kind of replaced texts. Their words are "device-1", "addr-1" and so on.
type Kind string

// The kinds.
const (
	Device Kind = "device" // a device of the fabric
	Name   Kind = "name"   // the fabric, or a domain
	User   Kind = "user"
	Addr   Kind = "addr" // IPv4, IPv6, MAC, GUID, UUID
	Serial Kind = "serial"
	Secret Kind = "secret" // the value after a word such as password
)

// Mask replaces names, addresses and serial numbers by words; equal texts get the same word. It finds addresses, and the values after the
// words serial and password, by their form; other texts must be made known ([Mask.Know]). The zero value is ready.
//
// In doubt it replaces a text: a release with four numbers counts as an address.
type Mask struct {
	// Spell returns the word for the n-th text of a kind that was found by its form. If Spell is nil or returns "", the word is the kind
	// with the number.
	Spell func(k Kind, text string, n int) string

	known map[string]string // by the replaced text, in lower case
	sizes []int             // the known texts, longest first
	words map[string]string // by kind and text: texts that were found by their form
	count map[Kind]int
}

// Word makes a new word.
func (m *Mask) Word(k Kind) string {
	if m.count == nil {
		m.count = map[Kind]int{}
	}
	m.count[k]++
	return fmt.Sprintf("%s-%d", k, m.count[k])
}

// Know makes the mask replace a text by a word, wherever it occurs as a whole word, in upper or lower case. A text that is already known
// keeps its word.
func (m *Mask) Know(text, word string) {
	text = lower(strings.TrimSpace(text))
	if text == "" || m.known[text] != "" {
		return
	}
	if m.known == nil {
		m.known = map[string]string{}
	}
	m.known[text] = word
	if i, there := slices.BinarySearchFunc(m.sizes, len(text), func(a, b int) int { return cmp.Compare(b, a) }); !there {
		m.sizes = slices.Insert(m.sizes, i, len(text))
	}
}

// KnowAs is Know with a new word of a kind, unless the text is already known.
func (m *Mask) KnowAs(k Kind, text string) {
	if t := lower(strings.TrimSpace(text)); t != "" && m.known[t] == "" {
		m.Know(text, m.Word(k))
	}
}

// lower converts ASCII letters to lower case, and keeps the number of bytes.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// span is a part of a text, and its replacement.
type span struct {
	from, to int
	word     string
}

// Text returns a text with all replacements.
func (m *Mask) Text(s string) string {
	spans := slices.Concat(m.hidden(s), m.named(s), m.addresses(s))
	sort.SliceStable(spans, func(i, k int) bool {
		a, b := spans[i], spans[k]
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) < 0
	})
	var out strings.Builder
	at := 0
	for i := 0; i < len(spans); i++ {
		one := spans[i]
		for i+1 < len(spans) && spans[i+1].from < one.to { // overlapping parts become one
			i++
			one.to = max(one.to, spans[i].to)
		}
		out.WriteString(s[at:one.from])
		out.WriteString(one.word)
		at = one.to
	}
	return out.String() + s[at:]
}

// alone reports whether a part of a text has no letter or digit directly before or after it.
func alone(s string, from, to int) bool {
	return (from == 0 || !alnum(s[from-1])) && (to == len(s) || !alnum(s[to]))
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// named finds the known texts.
func (m *Mask) named(s string) (out []span) {
	small := lower(s)
	for i := 0; i < len(s); i++ {
		if i > 0 && alnum(s[i-1]) && alnum(s[i]) {
			continue
		}
		for _, n := range m.sizes {
			if i+n > len(s) || !alone(s, i, i+n) {
				continue
			}
			if w := m.known[small[i:i+n]]; w != "" {
				out = append(out, span{i, i + n, w})
				break
			}
		}
	}
	return out
}

// hiddenForms match values after words that name their kind; the first group is the value.
var hiddenForms = sync.OnceValue(func() []hiddenForm {
	return []hiddenForm{
		{Serial, regexp.MustCompile(`(?i)serial(?:[-_ ]?(?:number|num|no\.?))?["']?(?:\s*[:=]\s*|\s+)` +
			`(?:0x[0-9a-f]{2}\s+\d+\s+)?["']?([a-z0-9][a-z0-9_-]{3,})`)},
		{Secret, regexp.MustCompile(`(?i)(?:passw(?:or)?d|passphrase|secret|token|community|(?:private|auth|shared)[-_ ]?key)[a-z_-]*["']?` +
			`(?:\s*[:=]\s*|\s+)(?:"([^"\n]+)"|'([^'\n]+)'|(\{[A-Za-z0-9-]+\}[^\s"',]+)|([^\s"',}]+))`)},
	}
})

type hiddenForm struct {
	kind Kind
	form *regexp.Regexp
}

// hidden finds serial numbers, passwords and the like.
func (m *Mask) hidden(s string) (out []span) {
	for _, f := range hiddenForms() {
		for _, at := range f.form.FindAllStringSubmatchIndex(s, -1) {
			for g := 2; g < len(at); g += 2 {
				if at[g] >= 0 && (f.kind != Secret || !isEmpty(s[at[g]:at[g+1]])) {
					out = append(out, span{at[g], at[g+1], m.found(f.kind, s[at[g]:at[g+1]])})
				}
			}
		}
	}
	return out
}

// isEmpty reports whether the text after a word such as password is JSON syntax without a value: the bracket that opens a table, as in
// "SNMP_COMMUNITY": {, or an empty value. A word in its place would make the JSON invalid.
func isEmpty(text string) bool {
	switch text {
	case "null", "true", "false", "0":
		return true
	}
	return strings.Trim(text, "{[]") == ""
}

// found returns the word of a text that was found by its form.
func (m *Mask) found(k Kind, text string) string {
	text = lower(text)
	if w := m.known[text]; w != "" {
		return w
	}
	if m.words == nil {
		m.words = map[string]string{}
	}
	key := string(k) + " " + text
	if m.words[key] == "" {
		word := m.Word(k)
		if m.Spell != nil {
			word = cmp.Or(m.Spell(k, text, m.count[k]), word)
		}
		m.words[key] = word
	}
	return m.words[key]
}

// Secrets returns a text without the values after words such as password, and the number of these values.
func (m *Mask) Secrets(s string) (out string, count int) {
	var to strings.Builder
	at := 0
	for _, one := range m.hidden(s) {
		if one.from >= at && m.isSecret(one.word) {
			to.WriteString(s[at:one.from] + one.word)
			at, count = one.to, count+1
		}
	}
	return to.String() + s[at:], count
}

func (m *Mask) isSecret(word string) bool { return strings.HasPrefix(word, string(Secret)+"-") }

// Words calls do for each text that was replaced and its word, in the order of the words.
func (m *Mask) Words(do func(text, word string)) {
	all := map[string]string{}
	maps.Copy(all, m.known)
	for key, word := range m.words {
		_, text, _ := strings.Cut(key, " ")
		all[text] = word
	}
	texts := slices.Collect(maps.Keys(all))
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(nodeset.Compare(all[a], all[b]), cmp.Compare(a, b)) })
	for _, text := range texts {
		do(text, all[text])
	}
}

// addressForms match addresses without colons. A match counts if good returns true.
var addressForms = sync.OnceValue(func() []addressForm {
	return []addressForm{
		{regexp.MustCompile(`\d{1,3}(?:\.\d{1,3}){3}`), func(s string) bool { _, err := netip.ParseAddr(unpadded(s)); return err == nil }},
		{regexp.MustCompile(`(?i)[0-9a-f]{2}(?:-[0-9a-f]{2}){5,7}`), nil},
		{regexp.MustCompile(`(?i)[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,3}`), nil},
		{regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), nil},
		{regexp.MustCompile(`(?i)0x[0-9a-f]{12,}`), nil},
		{regexp.MustCompile(`(?i)[0-9a-f]{12,}`), func(s string) bool {
			return strings.ContainsAny(lower(s), "abcdef") && strings.ContainsAny(s, "0123456789")
		}},
	}
})

type addressForm struct {
	form *regexp.Regexp
	good func(string) bool
}

// unpadded returns an IPv4 address without leading zeros in its numbers.
func unpadded(s string) string {
	parts := strings.Split(s, ".")
	for i, p := range parts {
		parts[i] = cmp.Or(strings.TrimLeft(p, "0"), "0")
	}
	return strings.Join(parts, ".")
}

// byPairs matches a MAC address, or a longer address of InfiniBand; byFours matches a GUID.
var (
	byPairs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5,}$`) })
	byFours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Fa-f]{4}(:[0-9A-Fa-f]{4}){3,}$`) })
)

// mostColons is the length of the longest address with colons: an address of an InfiniBand interface, which has 20 bytes.
const mostColons = 59

// withColons finds addresses with colons, of IPv6, Ethernet and InfiniBand. It skips PCI functions (0000:03:00.0) and times.
func (m *Mask) withColons(s string) (out []span) {
	hex := func(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF:.", c) >= 0 }
	for i := 0; i < len(s); i++ {
		if !hex(s[i]) || i > 0 && s[i-1] != ':' && alnum(s[i-1]) {
			continue
		}
		end, colons := i, 0
		for ; end < len(s) && end-i <= mostColons && hex(s[end]); end++ {
			if s[end] == ':' {
				colons++
			}
		}
		for ; colons >= 2 && end > i+1; end-- {
			text := s[i:end]
			if !alone(s, i, end) || text[len(text)-1] == '.' {
				continue
			}
			_, err := netip.ParseAddr(text)
			if err == nil || byPairs().MatchString(text) || byFours().MatchString(text) {
				out = append(out, span{i, end, m.found(Addr, text)})
				i = end - 1
				break
			}
		}
	}
	return out
}

// addresses finds addresses.
func (m *Mask) addresses(s string) []span {
	out := m.withColons(s)
	for _, f := range addressForms() {
		for _, at := range f.form.FindAllStringIndex(s, -1) {
			if text := s[at[0]:at[1]]; (f.good == nil || f.good(text)) && alone(s, at[0], at[1]) {
				out = append(out, span{at[0], at[1], m.found(Addr, text)})
			}
		}
	}
	return out
}
