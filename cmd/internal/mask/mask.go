// Package mask replaces the names, addresses and serial numbers of texts by words that stand for them ([Mask]), so that people may give
// away what their devices print.
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

// Kind is a kind of replaced texts; the words are "device-1", "addr-1" and so on.
type Kind string

// The kinds.
const (
	Device Kind = "device" // a device of the fabric, whatever it is called
	Name   Kind = "name"   // of the fabric, of a domain
	User   Kind = "user"
	Addr   Kind = "addr" // IPv4, IPv6, MAC, GUID, UUID
	Serial Kind = "serial"
	Secret Kind = "secret" // what stands behind a word such as password
)

// Mask replaces names, addresses and serial numbers by words, the same ones everywhere. It finds addresses, and the values behind the
// words serial and password, by their form; the others must be made known ([Mask.Know]). The zero value is ready.
//
// It replaces too much rather than too little: a release with four numbers is taken for an address.
type Mask struct {
	// Spell spells the n-th text of a kind that was found by its form. If it is nil or returns "", the word is the kind with the number.
	Spell func(k Kind, text string, n int) string

	known map[string]string // by the replaced text, in lower case
	sizes []int             // of the known texts, longest first
	words map[string]string // by kind and text, of texts that were found by their form
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

// Know has a text replaced by a word wherever it stands by itself, in any case of letters. What is known already keeps its word.
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

// KnowAs is Know with a new word of a kind, where the text is not known yet.
func (m *Mask) KnowAs(k Kind, text string) {
	if t := lower(strings.TrimSpace(text)); t != "" && m.known[t] == "" {
		m.Know(text, m.Word(k))
	}
}

// lower makes letters of ASCII small, and leaves every byte in its place.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// span is a part of a text, and what takes its place.
type span struct {
	from, to int
	word     string
}

// Text is a text with everything replaced.
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
		for i+1 < len(spans) && spans[i+1].from < one.to { // what overlaps is one
			i++
			one.to = max(one.to, spans[i].to)
		}
		out.WriteString(s[at:one.from])
		out.WriteString(one.word)
		at = one.to
	}
	return out.String() + s[at:]
}

// alone reports whether a part of a text has no letter or digit beside it.
func alone(s string, from, to int) bool {
	return (from == 0 || !alnum(s[from-1])) && (to == len(s) || !alnum(s[to]))
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// named finds what is known.
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

// hiddenForms are values behind words that name their kind, in the first group.
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

// isEmpty reports whether the text behind a word such as password is JSON syntax without a value. That is the bracket that opens a
// table, as in "SNMP_COMMUNITY": {, or an empty value. With a word in its place the text would no longer be JSON.
func isEmpty(text string) bool {
	switch text {
	case "null", "true", "false", "0":
		return true
	}
	return strings.Trim(text, "{[]") == ""
}

// found is the word of a text found by its form.
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

// Secrets returns a text without the values behind words such as password, and how many there were.
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

// addressForms are what addresses without colons look like; what each finds counts where good says so.
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

// unpadded is an IPv4 address without the zeros that some write before its numbers.
func unpadded(s string) string {
	parts := strings.Split(s, ".")
	for i, p := range parts {
		parts[i] = cmp.Or(strings.TrimLeft(p, "0"), "0")
	}
	return strings.Join(parts, ".")
}

// byPairs is a MAC address, or a longer one of InfiniBand; byFours a GUID.
var (
	byPairs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5,}$`) })
	byFours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Fa-f]{4}(:[0-9A-Fa-f]{4}){3,}$`) })
)

// mostColons is the length of the longest address with colons: that of an interface of InfiniBand, which has 20 bytes.
const mostColons = 59

// withColons finds addresses with colons, of IPv6, Ethernet and InfiniBand. It skips functions of PCI (0000:03:00.0) and times.
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
