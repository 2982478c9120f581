package inventory

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// expand returns the names of a pattern of hosts: leaf[01:04], db-[a:c], rack[1:9:2]. For an invalid pattern it returns the reason as
// text.
func expand(pattern string, most int) (names []string, why string) {
	names = []string{""}
	for rest := pattern; ; {
		before, after, found := strings.Cut(rest, "[")
		for i := range names {
			names[i] += before
		}
		if !found {
			return names, ""
		}
		text, tail, closed := strings.Cut(after, "]")
		if !closed {
			return nil, "a bracket is not closed"
		}
		words, why := span(text, most)
		if why != "" {
			return nil, why
		}
		if len(names)*len(words) > most {
			return nil, fmt.Sprintf("its ranges have more than %d hosts, and an inventory may have %d in total", most, maxHosts)
		}
		var next []string
		for _, name := range names {
			for _, w := range words {
				next = append(next, name+w)
			}
		}
		names, rest = next, tail
	}
}

// span returns the words of one range: BEGIN:END or BEGIN:END:STEP, of numbers or of letters. A number keeps the zeros before it. An
// empty begin is 0.
func span(text string, most int) (words []string, why string) {
	parts := strings.Split(text, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return nil, "a range is [BEGIN:END] or [BEGIN:END:STEP]"
	}
	begin, end, step := parts[0], parts[1], 1
	if begin == "" {
		begin = "0"
	}
	if len(parts) == 3 {
		var err error
		if step, err = strconv.Atoi(parts[2]); err != nil || step < 1 {
			return nil, "the step of a range is a number of at least 1"
		}
	}
	if len(begin) == 1 && len(end) == 1 && isLetter(begin[0]) && isLetter(end[0]) {
		if begin > end {
			return nil, "a range begins before it ends"
		}
		for c := int(begin[0]); c <= int(end[0]); c += min(step, 256) {
			if isLetter(byte(c)) {
				words = append(words, string(rune(c)))
			}
		}
		return words, ""
	}
	const maxDigits = 9
	from, err1 := strconv.Atoi(begin)
	to, err2 := strconv.Atoi(end)
	switch {
	case err1 != nil || err2 != nil || len(begin) > maxDigits || len(end) > maxDigits || from < 0 || begin[0] == '+' || end[0] == '+':
		return nil, "both ends of a range are numbers of at most nine digits, or letters"
	case from > to:
		return nil, "a range begins before it ends"
	case len(begin) > 1 && begin[0] == '0' && len(begin) != len(end):
		return nil, "both ends of a range with leading zeros need the same number of digits"
	case (to-from)/step >= most:
		return nil, fmt.Sprintf("a range has more than %d hosts, and an inventory may have %d in total", most, maxHosts)
	}
	width := 0
	if begin[0] == '0' {
		width = len(begin)
	}
	for n := from; n <= to; n += step {
		words = append(words, fmt.Sprintf("%0*d", width, n))
	}
	return words, ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// cutPort splits a host and its port: leaf1:2222, [2001:db8::1]:22. A colon inside a range does not begin a port.
func cutPort(word string) (pattern, port string) {
	if strings.HasPrefix(word, "[") {
		if in, after, ok := strings.Cut(word[1:], "]"); ok {
			if _, err := netip.ParseAddr(in); err == nil {
				return in, strings.TrimPrefix(after, ":")
			}
		}
	}
	if _, err := netip.ParseAddr(word); err == nil {
		return word, ""
	}
	i := strings.LastIndexByte(word, ':')
	if i < 0 || strings.LastIndexByte(word, ']') > i {
		return word, ""
	}
	if open := strings.LastIndexByte(word, '['); open >= 0 && !strings.Contains(word[open:], "]") {
		return word, ""
	}
	return word[:i], word[i+1:]
}
