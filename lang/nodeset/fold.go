package nodeset

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Fold is the inverse of [Parse]: it writes names as few nodesets, which together contain each of these names once.
//
//	leaf01 leaf02 leaf04 spine1        leaf[01-02,04] spine1
//	p1-gpu1 p1-gpu2 p2-gpu1 p2-gpu2    p[1-2]-gpu[1-2]
//	a1:swp1 a2:swp1                    a[1-2]:swp1
//	rack-1-2                           rack-1-[2]
//
// The kind is the kind of names for Parse. The order of the names does not matter, and they may repeat. Fold does not fold words into
// braces. The nodesets are in natural order (see [Compare]) of the first name of each. Nodesets of devices, interfaces or endpoints can
// be joined by commas to one nodeset. A name with a character that is not allowed in names is not changed.
//
// It needs O(n log n) comparisons of names.
func Fold(names []string, kind Kind) []string {
	sets := fold(names, kind)
	out := make([]string, len(sets))
	for i, s := range sets {
		out[i] = s.text()
	}
	return out
}

// Few is [Fold] for messages. It returns the first nodesets that fit into room bytes when written with ", " between them, but at least
// one, and the number of names that are left out. If the first nodeset alone is longer, its lists of numbers are cut. A nodeset of one
// name is that name, without the brackets that Parse may need.
func Few(names []string, kind Kind, room int) (out []string, more int) {
	sets := fold(names, kind)
	for _, s := range sets {
		more += s.count()
	}
	for i, s := range sets {
		if i == 0 {
			s.cut(room)
		}
		text := s.text()
		if s.count() == 1 {
			text = s.join()
		}
		if i > 0 && len(text) > room {
			break
		}
		out, more, room = append(out, text), more-s.count(), room-len(text)-len(", ")
	}
	return out, more
}

// Text returns the result of [Few] as a part of a sentence: "leaf[01-04], spine1 and 12 more". With math.MaxInt for room it contains
// all names.
func Text(names []string, kind Kind, room int) string {
	words, more := Few(names, kind, room)
	if more > 0 {
		words = append(words, strconv.Itoa(more)+" more")
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// folded is a nodeset that is being folded: texts with numbers between them. A number is digits ("07") or, after folding, a list of
// ranges ("01-04,07").
type folded struct {
	texts   []string // one more than numbers
	numbers []string
	kind    Kind     // 0: the text is not a name of the kind, and is not changed
	at      int      // place of the first name in natural order
	run     []string // the numbers at place of successive names that differ only there; nil after folding
	place   int
}

// maxFolded bounds the lists in a nodeset: one less than maxParts, since unambiguous may add a pair of brackets.
const maxFolded = maxParts - 1

// fold groups names that differ only in numbers. In each group it folds the places of numbers one after the other, from the last to the
// first. Nodesets that are equal at all other places become one, with a list of numbers at that place.
func fold(names []string, kind Kind) []folded {
	names = slices.Clone(names)
	slices.SortFunc(names, Compare)
	names = slices.Compact(names)
	var groups [][]folded
	group := map[string]int{} // index of a group by its texts
	var key []byte
	for i := 0; i < len(names); i++ {
		f := split(names[i], kind)
		f.at = i
		for i+1 < len(names) && f.follow(names[i+1]) { // successive names add only a number
			i++
		}
		key = key[:0]
		for _, text := range f.texts { // a text contains no digits, unless it is a whole name
			key = append(append(key, text...), '0')
		}
		g, known := group[string(key)]
		if !known {
			g = len(groups)
			group[string(key)] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], f)
	}
	var out []folded
	for _, sets := range groups {
		last := len(sets[0].numbers) - 1
		sets = settle(sets, max(last-maxFolded+1, 0))
		for place := last; place > last-maxFolded && place >= 0; place-- {
			sets = foldPlace(sets, place)
		}
		out = append(out, sets...)
	}
	sort.Slice(out, func(i, k int) bool { return out[i].at < out[k].at })
	return out
}

// split cuts a name into texts and numbers. A name that cannot be folded is one text: a name with a number of too many digits, or with
// a character that is not allowed.
func split(name string, kind Kind) folded {
	n, long := 0, false
	for i := 0; i < len(name); i++ {
		if digits := digitRun(name[i:]); digits > 0 {
			n, long = n+1, long || digits > maxDigits
			i += digits - 1
			continue
		}
		if !allowed(name[i], true) && !(name[i] == ':' && (kind == Endpoints || kind == Members)) {
			return folded{texts: []string{name}}
		}
	}
	if long {
		return folded{texts: []string{name}, kind: kind}
	}
	buf := make([]string, 2*n+1)
	f := folded{texts: buf[:n+1], numbers: buf[n+1:], kind: kind}
	for i := range n {
		text := strings.IndexAny(name, "0123456789")
		digits := digitRun(name[text:])
		f.texts[i], f.numbers[i] = name[:text], name[text:text+digits]
		name = name[text+digits:]
	}
	f.texts[n] = name
	return f
}

// follow adds a name to the run of f if it differs from the first name only in the number at the place of the run.
func (f *folded) follow(name string) bool {
	number, at := "", -1
	for i, text := range f.texts {
		var ok bool
		if name, ok = strings.CutPrefix(name, text); !ok {
			return false
		}
		if i == len(f.numbers) {
			break
		}
		digits := digitRun(name)
		if digits == 0 || digits > maxDigits {
			return false
		}
		if name[:digits] != f.numbers[i] {
			if at >= 0 || f.run != nil && i != f.place {
				return false
			}
			number, at = name[:digits], i
		}
		name = name[digits:]
	}
	if at < 0 || name != "" {
		return false
	}
	if f.run == nil {
		f.run, f.place = append(f.run, f.numbers[at]), at
	}
	f.run = append(f.run, number)
	return true
}

// settle splits runs that would be folded too early. Places are folded from the last to the first, down to lowest, so only a run at the
// last place at which any sets differ is kept.
func settle(sets []folded, lowest int) []folded {
	top := -1
	for _, f := range sets {
		if f.run != nil {
			top = max(top, f.place)
		}
		for i := len(f.numbers) - 1; i > top; i-- {
			if f.numbers[i] != sets[0].numbers[i] {
				top = i
			}
		}
	}
	if !slices.ContainsFunc(sets, func(f folded) bool { return f.run != nil && (f.place < top || top < lowest) }) {
		return sets
	}
	var out []folded
	for _, f := range sets {
		if f.run == nil || f.place == top && top >= lowest {
			out = append(out, f)
			continue
		}
		for i, number := range f.run {
			one := f
			one.run = nil
			one.at += i
			one.numbers = slices.Clone(f.numbers)
			one.numbers[f.place] = number
			out = append(out, one)
		}
	}
	return out
}

// foldPlace merges nodesets that differ only at one place. The result is in the order of the first nodeset of each.
func foldPlace(sets []folded, place int) []folded {
	if !slices.ContainsFunc(sets, func(f folded) bool {
		return f.run != nil && f.place == place || f.numbers[place] != sets[0].numbers[place]
	}) {
		return sets
	}
	var out []folded
	var numbers [][]string // numbers of the sets in out, at the place
	index := map[string]int{}
	var key []byte
	for _, f := range sets {
		key = key[:0]
		for i, n := range f.numbers {
			if i != place {
				key = append(append(key, n...), ' ')
			}
		}
		i, known := index[string(key)]
		if !known {
			i = len(out)
			index[string(key)] = i
			out, numbers = append(out, f), append(numbers, nil)
			out[i].run = nil
		}
		switch {
		case f.run == nil:
			numbers[i] = append(numbers[i], f.numbers[place])
		case numbers[i] == nil:
			numbers[i] = f.run
		default:
			numbers[i] = append(numbers[i], f.run...)
		}
	}
	for i, n := range numbers {
		out[i].numbers[place] = ranges(n)
	}
	return out
}

// ranges returns numbers as a list: 01 02 03 07 is 01-03,07. A number with a leading zero has a width, and only numbers of that width
// continue its range.
func ranges(numbers []string) string {
	slices.SortFunc(numbers, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	var list, next []byte
	for i := 0; i < len(numbers); {
		first, last, width := numbers[i], numbers[i], 0
		if first[0] == '0' {
			width = len(first)
		}
		n, _ := strconv.ParseInt(first, 10, 64) // maxDigits fit
		for i++; i < len(numbers); i++ {
			n++
			if next = appendPadded(next[:0], n, width); string(next) != numbers[i] {
				break
			}
			last = numbers[i]
		}
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = append(list, first...)
		if last != first {
			list = append(append(list, '-'), last...)
		}
	}
	return string(list)
}

// count returns the number of names.
func (f *folded) count() int {
	names := 1
	for _, list := range f.numbers {
		n := 0
		for s := range strings.SplitSeq(list, ",") {
			first, last, isRange := strings.Cut(s, "-")
			n++
			if isRange {
				lo, _ := strconv.Atoi(first) // as above
				hi, _ := strconv.Atoi(last)
				n += hi - lo
			}
		}
		names *= n
	}
	return names
}

// cut shortens the longest list until the nodeset fits into room bytes or no list has a second range.
func (f *folded) cut(room int) {
	for {
		longest := -1
		for i, n := range f.numbers {
			if strings.Contains(n, ",") && (longest < 0 || len(n) > len(f.numbers[longest])) {
				longest = i
			}
		}
		excess := len(f.text()) - room
		if excess <= 0 || longest < 0 {
			return
		}
		list := f.numbers[longest]
		end := strings.LastIndexByte(list[:max(len(list)-excess+1, 0)], ',')
		if end < 0 {
			end = strings.IndexByte(list, ',')
		}
		f.numbers[longest] = list[:end]
	}
}

// text returns the nodeset in the form for Parse.
func (f *folded) text() string {
	s := f.join()
	if f.kind == 0 {
		return s
	}
	if device, port, both := strings.Cut(s, ":"); both {
		return unambiguous(device, Devices) + ":" + unambiguous(port, Interfaces)
	}
	if f.kind == Interfaces {
		return unambiguous(s, Interfaces)
	}
	return unambiguous(s, Devices)
}

// join concatenates texts and numbers.
func (f *folded) join() string {
	var b strings.Builder
	for i, n := range f.numbers {
		b.WriteString(f.texts[i])
		if strings.ContainsAny(n, "-,") {
			n = "[" + n + "]"
		}
		b.WriteString(n)
	}
	b.WriteString(f.texts[len(f.numbers)])
	return b.String()
}

// unambiguous puts brackets around a number that Parse would read as the end of a range: rack-1-2 becomes rack-1-[2]. One pair is
// enough for a device, where a range without brackets can only be the end of the name.
func unambiguous(s string, kind Kind) string {
	if !mayRange(s) || literal(s, kind) {
		return s
	}
	all := s
	depth := 0
	for i := len(s); i > 0; i-- {
		switch c := s[i-1]; {
		case c == ']':
			depth++
		case c == '[':
			depth--
		case isDigit(c) && depth == 0:
			from := i - 1
			for from > 0 && isDigit(s[from-1]) && i-from < maxDigits {
				from--
			}
			if one := bracketed(s, from, i); literal(one, kind) {
				return one
			}
			all = bracketed(all, from, i) // offsets before it do not change
			for i = from + 1; i > 1 && isDigit(s[i-2]); i-- {
			}
		}
	}
	if literal(all, kind) {
		return all
	}
	return s // not a name of the kind
}

// mayRange reports whether a name may contain a range, so that Parse must be called. A range is a digit, a dash, and a digit or
// (swp1-swp4) the beginning of the name again.
func mayRange(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '-' && isDigit(s[i-1]) && (isDigit(s[i+1]) || s[i+1] == s[0]) {
			return true
		}
	}
	return false
}

func bracketed(s string, from, to int) string { return s[:from] + "[" + s[from:to] + "]" + s[to:] }

// literal reports whether Parse finds ranges only in the brackets of s, which is one item.
func literal(s string, kind Kind) bool {
	set, mistakes := Parse(s, kind)
	if len(mistakes) > 0 {
		return false
	}
	pattern := set.groups[0].device
	if kind == Interfaces {
		pattern = set.groups[0].ports[0]
	}
	lists := 0
	for _, p := range pattern.parts {
		if p.spans != nil {
			lists++
		}
	}
	return lists == strings.Count(s, "[")
}
