package collect

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/cmd/internal/start"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Mask returns the collection without names, addresses, serial numbers and descriptions, and the map of its words. A word keeps the part
// of a name that audit reads, such as leaf in leaf7. Addresses become other addresses, from ranges that are not routed.
func (c *Collection) Mask() (*Collection, string) {
	m := &mask.Mask{Spell: speller(c.files)}
	left := knowNames(m, c.names())
	out := &Collection{files: map[string][]byte{}}
	out.Manifest = c.Manifest
	out.Manifest.By, out.Manifest.Masked, out.Manifest.Devices = "", true, nil
	texts, named := &descriptions{words: map[string]string{}}, &policies{words: map[string]string{}}
	for _, d := range c.Manifest.Devices {
		d.Name, d.Address, d.Host, d.Failed = m.Text(d.Name), "", m.Text(d.Host), m.Text(d.Failed)
		answers := d.Answers
		d.Answers = nil
		for _, a := range answers {
			data, had := c.files[a.File]
			a.File, a.Failed = m.Text(a.File), m.Text(a.Failed)
			if had {
				text := m.Text(named.replace(a.File, texts.replace(string(data))))
				out.files[a.File] = []byte(text)
				a.SHA256, a.Size = snapshot.Sum([]byte(text)), len(text)
			}
			d.Answers = append(d.Answers, a)
		}
		out.Manifest.Devices = append(out.Manifest.Devices, d)
	}
	maps.Copy(texts.words, named.words)
	return out, mapOf(m, texts, left)
}

// knowNames adds names of devices to the mask, and returns the names that stay unmasked. Names of the same device get the same word, even
// if they differ in capitals, the domain or a dot at the end. Devices with the same name in several domains also get a word for the
// domain.
func knowNames(m *mask.Mask, names []string) (left []string) {
	domains := map[string][]string{} // by the name without domain
	for _, name := range names {
		if first, domain := parts(name); domain != "" && !slices.Contains(domains[first], domain) {
			domains[first] = append(domains[first], domain)
		}
	}
	words, count, of := map[string]string{}, map[string]int{}, map[string]string{}
	for _, name := range names {
		if _, err := netip.ParseAddr(name); err == nil { // the mask finds addresses by their form
			continue
		}
		first, domain := parts(name)
		plain := isPlain(first)
		if plain {
			left = append(left, name)
		}
		if words[first] == "" {
			words[first] = first
			if !plain {
				words[first] = wordOf(cmp.Or(start.Telling(first), "device"), count)
				m.Know(first, words[first])
			}
		}
		if domain == "" || strings.Contains(first, ":") || plain && !strings.Contains(domain, ".") {
			continue
		}
		if of[domain] == "" {
			of[domain] = m.Word(mask.Name)
			if strings.Contains(domain, ".") { // one label, such as local, may be a word of a configuration
				m.Know(domain, of[domain])
			}
		}
		if word := words[first]; len(domains[first]) > 1 || plain {
			m.Know(first+"."+domain, word+"."+of[domain])
		} else {
			m.Know(first+"."+domain, word)
		}
	}
	return left
}

// parts splits the name of a device into the name without domain and the domain, both in lower case.
func parts(name string) (first, domain string) {
	first, domain, _ = strings.Cut(strings.TrimSuffix(strings.ToLower(name), "."), ".")
	return first, domain
}

// wordOf returns a new word for a name. It keeps the words of the name that audit reads.
func wordOf(words string, count map[string]int) string {
	count[words]++
	if last := words[len(words)-1]; '0' <= last && last <= '9' {
		return fmt.Sprintf("%s-%d", words, count[words])
	}
	return fmt.Sprintf("%s%d", words, count[words])
}

// names returns the names of devices in the collection, from folders, configurations and neighbours, in natural order.
func (c *Collection) names() []string {
	all := map[string]bool{}
	var files []lint.File
	for _, d := range c.Manifest.Devices {
		all[d.Name], all[d.Host] = true, true
		for _, a := range d.Answers {
			if data, had := c.files[a.File]; had {
				files = append(files, lint.File{Name: a.File, Data: data})
			}
		}
	}
	for _, d := range targets.SurveyFiles(files).Devices {
		if all[d.Name] = true; d.Read != nil {
			all[d.Read.Host] = true
		}
		for _, port := range d.Neighbours {
			for _, n := range port {
				all[n.Device] = true
			}
		}
	}
	delete(all, "")
	return slices.SortedFunc(maps.Keys(all), nodeset.Compare)
}

// speller returns the function that replaces addresses. If routes were read, prefixes stay prefixes, so a route leads to the same hosts
// as before. The key is a digest of the unmasked answers, which the masked answers do not reveal.
func speller(files map[string][]byte) func(k mask.Kind, text string, n int) string {
	names := slices.Sorted(maps.Keys(files))
	if !slices.ContainsFunc(names, targets.IsRouting) {
		return spell
	}
	all := sha256.New()
	for _, name := range names {
		fmt.Fprintf(all, "%q %d\n%s\n", name, len(files[name]), files[name])
	}
	prefixes := mask.NewPrefixes(all.Sum(nil))
	return func(k mask.Kind, text string, n int) string {
		if a, err := netip.ParseAddr(text); k == mask.Addr && err == nil {
			return prefixes.Addr(a).String()
		}
		return spell(k, text, n)
	}
}

// isPlain reports whether a name reveals no owner: a word that drafts understand, the name of a system, or a number.
func isPlain(name string) bool {
	small := strings.ToLower(name)
	return start.Telling(small) == small || strings.Trim(small, "0123456789") == "" || small == "localhost" ||
		slices.ContainsFunc(targets.All, func(row *target.Target) bool {
			return row.OS != nil && (row.OS.Name == small || row.OS.User == small)
		})
}

// benchmark is the first address in a masked snapshot. RFC 2544 reserves its range for tests.
var benchmark = netip.MustParseAddr("198.18.0.0")

// mostBenchmark is the number of addresses in the range.
const mostBenchmark = 1 << 17

// spell returns the replacement of an address, of the same kind. IPv6 addresses are from the range for documentation (RFC 3849), Ethernet
// addresses are locally administered (IEEE 802).
func spell(k mask.Kind, text string, n int) string {
	if k != mask.Addr {
		return ""
	}
	switch a, err := netip.ParseAddr(text); {
	case err == nil && a.Is4() && n < mostBenchmark:
		at := benchmark.As4()
		return netip.AddrFrom4([4]byte{at[0], at[1] + byte(n>>16), byte(n >> 8), byte(n)}).String()
	case err == nil && a.Is6():
		return fmt.Sprintf("2001:db8::%x:%x", n>>16, n&0xffff)
	case len(text) == 17 && strings.Count(text, ":") == 5:
		return fmt.Sprintf("02:00:%02x:%02x:%02x:%02x", n>>24&0xff, n>>16&0xff, n>>8&0xff, n&0xff)
	}
	return ""
}

// descriptions replaces texts that people have written about ports and devices.
type descriptions struct{ words map[string]string }

// described matches such texts; the second group is the text. They are the member descr of LLDP, in json and json0, and the description
// of a port.
var described = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`("(?:descr|description)"\s*:\s*(?:\[\s*\{\s*"value"\s*:\s*)?)("(?:[^"\\]|\\.)*")`)
})

// portName matches a description that is the name of a port, as LLDP reports on some systems.
var portName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:swp|eth|Ethernet|Eth|en[a-z]|ib|bond|port|et|xe|etp)[0-9][0-9a-zA-Z/:._-]{0,24}$`)
})

func (d *descriptions) replace(text string) string {
	return described().ReplaceAllStringFunc(text, func(found string) string {
		m := described().FindStringSubmatch(found)
		var value string
		if json.Unmarshal([]byte(m[2]), &value) != nil || value == "" || portName().MatchString(value) {
			return found
		}
		if d.words[value] == "" {
			d.words[value] = fmt.Sprintf("description-%d", len(d.words)+1)
		}
		return m[1] + `"` + d.words[value] + `"`
	})
}

// mapOf returns the map of a mask as a text: a line for each word.
func mapOf(m *mask.Mask, texts *descriptions, left []string) string {
	var out strings.Builder
	out.WriteString("# The words of a masked snapshot with their texts. Do not give this file away with the snapshot.\n")
	m.Words(func(text, word string) { fmt.Fprintf(&out, "%s\t%q\n", word, text) })
	for _, text := range slices.SortedFunc(maps.Keys(texts.words), func(a, b string) int {
		return nodeset.Compare(texts.words[a], texts.words[b])
	}) {
		fmt.Fprintf(&out, "%s\t%q\n", texts.words[text], text)
	}
	for _, name := range left {
		fmt.Fprintf(&out, "# not masked, as it is a usual word or a number: %q\n", name)
	}
	return out.String()
}
