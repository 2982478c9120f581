package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
)

// asNodesets writes names as few nodesets that mean exactly them: leaf[01-04], p[1-2]-leaf[1-2]. Names are valid, of one
// kind (devices or interfaces), and may repeat.
func asNodesets(names []string, kind nodeset.Kind) []string {
	names = slices.Clone(names)
	slices.SortFunc(names, ir.CompareNames)
	names = slices.Compact(names)
	sets := foldBy(names, lastNumber)
	if wider := foldBy(sets, firstNumber); len(wider) < len(sets) && means(wider, names, kind) {
		return wider
	}
	if sets = bracketed(sets, kind); means(sets, names, kind) {
		return sets
	}
	return bracketed(names, kind)
}

// bracketed puts brackets around numbers of names that alone would be ranges: rack-1-2 becomes rack-1-[2].
func bracketed(names []string, kind nodeset.Kind) []string {
	out := slices.Clone(names)
	for i, name := range names {
		for _, open := range []func(string) string{bracketLast, bracketAll} {
			if !strings.Contains(name, "[") && !means(out[i:i+1], []string{name}, kind) {
				out[i] = open(name)
			}
		}
	}
	return out
}

func bracketLast(name string) string {
	if from, to, ok := lastNumber(name); ok {
		return name[:from] + "[" + name[from:to] + "]" + name[to:]
	}
	return name
}

var numberPattern = regexp.MustCompile(`[0-9]+`)

func bracketAll(name string) string { return numberPattern.ReplaceAllString(name, "[$0]") }

// means tells whether nodesets name exactly names, which are sorted.
func means(sets, names []string, kind nodeset.Kind) bool {
	var got []string
	for _, s := range sets {
		set, mistakes := nodeset.Parse(s, kind)
		if len(mistakes) > 0 || set.Len() > len(names)-len(got) {
			return false
		}
		for n := range set.All() {
			got = append(got, n.Device+n.Interface)
		}
	}
	slices.SortFunc(got, ir.CompareNames)
	return slices.Equal(got, names)
}

// lastNumber finds the last digits of a name, and firstNumber the first ones before any bracket. Leading zeros are part
// of them; more digits than a nodeset counts are no number.
func lastNumber(s string) (from, to int, ok bool) {
	to = strings.LastIndexAny(s, "0123456789") + 1
	for from = to; from > 0 && isDigit(s[from-1]); from-- {
	}
	return from, to, to > 0 && to-from <= 9
}

func firstNumber(s string) (from, to int, ok bool) {
	from = strings.IndexAny(s, "0123456789[")
	if from < 0 || s[from] == '[' {
		return 0, 0, false
	}
	for to = from; to < len(s) && isDigit(s[to]); to++ {
	}
	return from, to, to-from <= 9
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// foldBy puts names together that differ in one number. The result is in the order of the first name of each.
func foldBy(names []string, number func(string) (from, to int, ok bool)) []string {
	type family struct {
		before, after string
		numbers       []string
	}
	var families []*family
	byKey := map[[2]string]*family{}
	for _, name := range names {
		from, to, ok := number(name)
		if !ok {
			families = append(families, &family{before: name})
			continue
		}
		key := [2]string{name[:from], name[to:]}
		f := byKey[key]
		if f == nil {
			f = &family{before: key[0], after: key[1]}
			byKey[key] = f
			families = append(families, f)
		}
		f.numbers = append(f.numbers, name[from:to])
	}
	var out []string
	for _, f := range families {
		switch len(f.numbers) {
		case 0:
			out = append(out, f.before)
		case 1:
			out = append(out, f.before+f.numbers[0]+f.after)
		default:
			out = append(out, f.before+"["+spans(f.numbers)+"]"+f.after)
		}
	}
	return out
}

// spans writes numbers as ranges: 01 02 03 07 is 01-03,07. A number with a leading zero has a width, and only numbers
// that are written with it follow.
func spans(numbers []string) string {
	var out []string
	for i := 0; i < len(numbers); {
		first, last := numbers[i], numbers[i]
		n, err := strconv.Atoi(first)
		j := i + 1
		for ; err == nil && j < len(numbers) && numbers[j] == following(first, n+j-i); j++ {
			last = numbers[j]
		}
		if i = j; first == last {
			out = append(out, first)
		} else {
			out = append(out, first+"-"+last)
		}
	}
	return strings.Join(out, ",")
}

func following(first string, n int) string {
	if first[0] == '0' && len(first) > 1 {
		return fmt.Sprintf("%0*d", len(first), n)
	}
	return strconv.Itoa(n)
}
