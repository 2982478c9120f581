package cumulus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The comments that rocec writes: at the top of a whole file, and above settings that had no place in an existing file. They name no key,
// because keys in comments show what a release accepts.
const (
	wholeHeader = ", written by rocec from the fabric's description: change it there, not here."
	tailHeader  = "# RoCE settings, written by rocec from the fabric's description: change them there, not here."
)

// edit returns the wanted content of the file, given the present content.
//
// An existing setting gets its value in its line. If a key is set twice, the last line stays and the others are removed, since the manuals
// do not state which line counts. A missing setting is written below its own commented template. Without a template it is written below
// the previous setting of its section, or at the end of the file, below a comment. Unwanted settings of rocec are removed. A value with
// the same meaning keeps its spelling. Settings of others become comments if they would be in force beside rocec's and no list can turn
// them off.
//
// The error states why an edit could do harm. Lines that rocec neither understands nor changes are harmless.
func edit(old []byte, doc grammar.Spelling, s *settings) ([]byte, error) {
	if len(old) == 0 {
		return whole(fileOf(doc), spell(s, doc, nil)), nil
	}
	lines, err := grammar.Parse(old)
	if err != nil {
		return nil, err
	}
	d := doc.Shown(lines)
	silence(lines, d)
	return place(lines, spell(s, d, grammar.ValuesOf(lines)), func(key string) bool { return stale(key, d) }, same)
}

// place puts the settings of the sections into the lines of a file. stale reports whether to remove a key that no section wants. same
// reports whether two values are equivalent.
func place(lines []grammar.Line, secs []section, stale func(key string) bool, same func(a, b string) bool) ([]byte, error) {
	last := map[string]int{} // wanted key -> its line in the new file
	for _, sec := range secs {
		for _, set := range sec.settings {
			last[set.key] = -1
		}
	}
	template := map[string]int{} // wanted key -> its last commented template
	gone := make([]bool, len(lines))
	for i := range lines {
		l := &lines[i]
		before, wanted := last[l.Key]
		switch {
		case l.Hidden && wanted:
			template[l.Key] = i
			continue
		case !l.Active():
			continue
		case wanted:
			if before >= 0 {
				gone[before] = true
			}
			last[l.Key] = i
		case stale(l.Key):
			gone[i] = true
		default:
			continue
		}
		if unfinished(l.Value) {
			return nil, fmt.Errorf("line %d sets %s to a list that is not closed, so its end is uncertain", i+1, l.Key)
		}
	}
	p := placement{end: "\n", below: make([][]setting, len(lines))}
	if lines[0].End == "\r\n" {
		p.end = "\r\n"
	}
	for _, sec := range secs {
		at := -1 // the section's next setting goes below this line
		for _, set := range sec.settings {
			if i := last[set.key]; i >= 0 {
				if !same(lines[i].Value, set.value) {
					setValue(&lines[i], set.value)
				}
				at = i
				continue
			}
			if i, ok := template[set.key]; ok {
				at = templatesEnd(lines, i)
			}
			p.put(at, set)
		}
	}
	return p.print(lines, gone), nil
}

// templatesEnd returns the index of the last line in the run of templates of one feature around line i.
func templatesEnd(lines []grammar.Line, i int) int {
	feature, _, _ := strings.Cut(lines[i].Key, ".")
	for i+1 < len(lines) && lines[i+1].Hidden && strings.HasPrefix(lines[i+1].Key, feature+".") {
		i++
	}
	return i
}

// unfinished reports whether a value may continue on the next line. No manual describes such values.
func unfinished(v string) bool {
	return strings.Contains(v, "[") && !strings.HasSuffix(v, "]") || strings.HasSuffix(v, ",") || strings.HasSuffix(v, "\\")
}

// setValue replaces the value of a line.
func setValue(l *grammar.Line, value string) {
	if l.Value == "" && strings.HasPrefix(l.Tail, "#") {
		l.Tail = " " + l.Tail
	}
	l.Value = value
}

// placement contains the settings that get new lines.
type placement struct {
	end   string      // the line end of the file
	below [][]setting // by line
	tail  []setting   // settings without a place
}

func (p *placement) put(at int, s setting) {
	if at < 0 {
		p.tail = append(p.tail, s)
		return
	}
	p.below[at] = append(p.below[at], s)
}

// print returns the remaining lines, with the new settings at their places.
func (p *placement) print(lines []grammar.Line, gone []bool) []byte {
	var b []byte
	foot := p.foot(lines, gone)
	for i := range lines {
		if !gone[i] {
			if lines[i].End == "" {
				lines[i].End = p.end
			}
			b = lines[i].AppendTo(b)
		}
		for _, s := range p.below[i] {
			b = p.line(b, s)
		}
		if i == foot {
			for _, s := range p.tail {
				b = p.line(b, s)
			}
		}
	}
	if foot < 0 && len(p.tail) > 0 {
		if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n\n")) && !bytes.HasSuffix(b, []byte("\n\r\n")) {
			b = append(b, p.end...)
		}
		b = append(append(b, tailHeader...), p.end...)
		for _, s := range p.tail {
			b = p.line(b, s)
		}
	}
	return b
}

func (p *placement) line(b []byte, s setting) []byte {
	b = append(b, s.key...)
	b = append(b, " = "...)
	b = append(b, s.value...)
	return append(b, p.end...)
}

// foot returns the index of the last line in the paragraph that an earlier edit wrote below tailHeader; -1: there is no such paragraph.
func (p *placement) foot(lines []grammar.Line, gone []bool) int {
	foot := -1
	for i := range lines {
		switch {
		case gone[i]:
		case lines[i].Head == tailHeader:
			foot = i
		case foot >= 0 && lines[i].Blank():
			return foot
		case foot >= 0:
			foot = i
		}
	}
	return foot
}

// whole returns a file that is written from nothing.
func whole(name string, secs []section) []byte {
	var b bytes.Buffer
	b.WriteString("# " + name + wholeHeader + "\n")
	for _, sec := range secs {
		if len(sec.settings) == 0 {
			continue
		}
		b.WriteByte('\n')
		for t := range strings.SplitSeq(sec.title, "\n") {
			b.WriteString("# " + t + "\n")
		}
		for _, s := range sec.settings {
			b.WriteString(s.key + " = " + s.value + "\n")
		}
	}
	return b.Bytes()
}

// fileOf returns the name of the file that has a spelling.
func fileOf(d grammar.Spelling) string {
	if d.Of(grammar.QoSFeatures) {
		return featuresName
	}
	return confName
}

// same reports whether two values have the same meaning. Spaces, the order of a bracketed list, and the case of true and false do not
// matter.
func same(a, b string) bool { return a == b || canonical(a) == canonical(b) }

func canonical(v string) string {
	v = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, v)
	if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
		return strings.ToLower(v)
	}
	if !strings.HasPrefix(v, "[") || !strings.HasSuffix(v, "]") {
		return v
	}
	elems := strings.Split(v[1:len(v)-1], ",")
	slices.SortFunc(elems, func(a, b string) int {
		m, errA := strconv.Atoi(a)
		n, errB := strconv.Atoi(b)
		if errors.Join(errA, errB) != nil {
			return cmp.Compare(a, b)
		}
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a, b))
	})
	return "[" + strings.Join(elems, ",") + "]"
}

// keys lists the active settings of a file in the order of its lines.
func keys(content []byte, doc grammar.Spelling, s *settings) []target.Key {
	lines, _ := grammar.Parse(content) // readable lines are listed even if the file cannot be edited
	d := doc.Shown(lines)
	wanted := map[string]bool{}
	for _, sec := range spell(s, d, grammar.ValuesOf(lines)) {
		for _, set := range sec.settings {
			wanted[set.key] = true
		}
	}
	var out []target.Key
	for i := range lines {
		if l := &lines[i]; l.Active() {
			out = append(out, target.Key{Name: l.Key, Value: l.Value, Ours: wanted[l.Key] || stale(l.Key, d) || silenced(l.Key, d)})
		}
	}
	return out
}

// listedGroups returns the port groups of a feature that are in force.
func listedGroups(have grammar.Values, f grammar.Feature) []string {
	list, _ := have.Get(f, grammar.Groups, -1, "")
	return grammar.Items(list)
}
