// Package metricstest reads the text format of OpenMetrics strictly, for tests: a [Sample] for each line with a value.
package metricstest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Sample is one sample with the head of its family.
type Sample struct {
	Name, Type, Unit, Help string
	Labels                 []string // names and values in turn
	Text                   string   // the value as written
	Value                  float64
}

// Label returns the value of a label; empty: the sample does not have it.
func (s *Sample) Label(name string) string {
	for i := 0; i < len(s.Labels); i += 2 {
		if s.Labels[i] == name {
			return s.Labels[i+1]
		}
	}
	return ""
}

var (
	head   = regexp.MustCompile(`^# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	begin  = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{`)
	name   = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="`)
	number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)
)

// Parse reads a whole exposition. It refuses each deviation from the parts of OpenMetrics 1.0 that rocec uses: families that are split or
// empty, a second TYPE, UNIT or HELP, a unit that does not end the name, a counter without _total or below zero, a label or a sample that
// is there twice, an unknown escape, text after # EOF, and a missing # EOF.
func Parse(text string) ([]Sample, error) {
	if !strings.HasSuffix(text, "# EOF\n") {
		return nil, fmt.Errorf("the last line is not # EOF")
	}
	var out []Sample
	var family Sample
	seen, had := map[string]bool{}, 0
	families := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "# EOF\n"), "\n") {
		fail := func(format string, args ...any) ([]Sample, error) {
			return nil, fmt.Errorf("line %d: %s: %q", i+1, fmt.Sprintf(format, args...), line)
		}
		if m := head.FindStringSubmatch(line); m != nil {
			if m[2] != family.Name || had > 0 {
				if families[m[2]] {
					return fail("the family is split")
				}
				if family.Name != "" && had == 0 {
					return fail("the family before has no sample")
				}
				families[m[2]], family, had = true, Sample{Name: m[2]}, 0
			}
			into := map[string]*string{"TYPE": &family.Type, "UNIT": &family.Unit, "HELP": &family.Help}[m[1]]
			if *into != "" {
				return fail("a second %s", m[1])
			}
			*into = m[3]
			if m[1] == "UNIT" && !strings.HasSuffix(family.Name, "_"+m[3]) {
				return fail("the unit does not end the name")
			}
			continue
		}
		if line == "" {
			if i == strings.Count(text, "\n")-1 {
				break
			}
			return fail("an empty line")
		}
		s, err := sample(line, family)
		if err != nil {
			return fail("%v", err)
		}
		key := s.Name + strings.Join(s.Labels, "\x00")
		if seen[key] {
			return fail("the sample is there twice")
		}
		seen[key] = true
		had++
		out = append(out, s)
	}
	return out, nil
}

// sample reads a line with a value.
func sample(line string, family Sample) (Sample, error) {
	s := family
	m := begin.FindStringSubmatch(line)
	if m == nil {
		return s, fmt.Errorf("no sample")
	}
	s.Name = m[1]
	want := family.Name
	if family.Type == "counter" {
		want += "_total"
	}
	if s.Name != want || family.Type != "counter" && family.Type != "gauge" || family.Help == "" {
		return s, fmt.Errorf("the family is %q, type %q", family.Name, family.Type)
	}
	rest := line[len(m[0]):]
	for used := map[string]bool{}; ; {
		m := name.FindStringSubmatch(rest)
		if m == nil || used[m[1]] {
			return s, fmt.Errorf("no label, or one that is there twice")
		}
		used[m[1]] = true
		value, after, err := quoted(rest[len(m[0]):])
		if err != nil {
			return s, err
		}
		s.Labels, rest = append(s.Labels, m[1], value), after
		if !strings.HasPrefix(rest, ",") {
			break
		}
		rest = rest[1:]
	}
	text, ok := strings.CutPrefix(rest, "} ")
	if !ok || !number.MatchString(text) {
		return s, fmt.Errorf("no value")
	}
	s.Text = text
	s.Value, _ = strconv.ParseFloat(text, 64) // as number requires
	if family.Type == "counter" && s.Value < 0 {
		return s, fmt.Errorf("a counter below zero")
	}
	return s, nil
}

// quoted reads the value of a label up to its closing quote.
func quoted(text string) (value, after string, err error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], nil
		case '\\':
			i++
			if i == len(text) {
				return "", "", fmt.Errorf("the value ends in an escape")
			}
			switch text[i] {
			case 'n':
				b.WriteByte('\n')
			case '"', '\\':
				b.WriteByte(text[i])
			default:
				return "", "", fmt.Errorf("an unknown escape")
			}
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", fmt.Errorf("the value has no end")
}
