package unix

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The filters of GNU coreutils 9, and grep, in the C locale, with the features that scripts for devices use.

// operands returns the files of a filter. Without files the filter reads stdin.
func operands(rest []string) []string {
	if len(rest) == 0 {
		return []string{"-"}
	}
	return rest
}

// lines cuts text after each newline.
func lines(data []byte) []string { return slices.Collect(strings.Lines(string(data))) }

func cmdCat(_ context.Context, p *Proc) int {
	_, rest, ok := p.Flags("u", nil)
	if !ok {
		return 1
	}
	status := 0
	for _, file := range operands(rest) {
		data, err := p.Input(file)
		if err != nil {
			status = p.Fail("%s: %v", file, err)
			continue
		}
		p.Print(string(data))
	}
	return p.Done(status)
}

func cmdTee(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("a", map[string]byte{"append": 'a'})
	if !ok {
		return 1
	}
	flag := oWRONLY | oCREATE | oTRUNC
	if set['a'] != nil {
		flag = oWRONLY | oCREATE | oAPPEND
	}
	status := 0
	data, err := p.readAll()
	if err != nil {
		status = p.Fail("standard input: %v", err)
	}
	p.Print(string(data))
	for _, file := range rest {
		h, err := p.open(file, flag, 0o666)
		if err == nil && len(data) > 0 {
			_, err = h.Write(data)
		}
		if err != nil {
			status = p.Fail("%s: %v", file, err)
		}
	}
	return p.Done(status)
}

// cmdHead and cmdTail support -n N, -c N and the old -N. tail also supports -n +N.
func cmdHead(_ context.Context, p *Proc) int { return ends(p, true) }
func cmdTail(_ context.Context, p *Proc) int { return ends(p, false) }

func ends(p *Proc, head bool) int {
	if len(p.Args) > 1 && len(p.Args[1]) > 1 && p.Args[1][0] == '-' && p.Args[1][1] >= '0' && p.Args[1][1] <= '9' {
		p.Args = slices.Concat(p.Args[:1], []string{"-n", p.Args[1][1:]}, p.Args[2:])
	}
	set, rest, ok := p.Flags("n:c:q", map[string]byte{"lines": 'n', "bytes": 'c', "quiet": 'q'})
	if !ok {
		return 1
	}
	unit, count := byte('n'), "10"
	for _, c := range []byte("nc") {
		if v, given := last(set, c); given {
			unit, count = c, v
		}
	}
	from := !head && strings.HasPrefix(count, "+")
	n, err := strconv.Atoi(strings.TrimLeft(count, "+"))
	if err != nil || n < 0 {
		what := map[byte]string{'n': "lines", 'c': "bytes"}[unit]
		return p.Fail("invalid number of %s: '%s'", what, count)
	}
	status := 0
	for _, file := range operands(rest) {
		in, err := p.reader(file)
		if err != nil {
			status = p.Fail("cannot open '%s' for reading: %v", file, err)
			continue
		}
		var data []byte
		if head {
			data, err = first(in, unit, n)
		} else if data, err = io.ReadAll(io.LimitReader(in, DiskSize)); err == nil {
			data = end(data, unit, n, from)
		}
		in.Close()
		if err != nil {
			status = p.Fail("error reading '%s': %v", file, err)
			continue
		}
		if len(rest) > 1 && set['q'] == nil {
			p.Printf("==> %s <==\n", file)
		}
		p.Print(string(data))
	}
	return p.Done(status)
}

// first reads only the necessary input, because the writer may never end.
func first(in io.Reader, unit byte, n int) ([]byte, error) {
	if unit == 'c' {
		return io.ReadAll(io.LimitReader(in, int64(n)))
	}
	var out []byte
	for r := bufio.NewReader(in); n > 0; n-- {
		line, err := r.ReadBytes('\n')
		out = append(out, line...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// end returns the last n lines or bytes. If from is set, it returns everything from the n-th line or byte on.
func end(data []byte, unit byte, n int, from bool) []byte {
	if unit == 'c' {
		if from {
			return data[min(max(n-1, 0), len(data)):]
		}
		return data[max(len(data)-n, 0):]
	}
	parts := slices.Collect(bytes.Lines(data))
	if from {
		parts = parts[min(max(n-1, 0), len(parts)):]
	} else {
		parts = parts[max(len(parts)-n, 0):]
	}
	return bytes.Join(parts, nil)
}

func cmdWc(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("lwc", map[string]byte{"lines": 'l', "words": 'w', "bytes": 'c'})
	if !ok {
		return 1
	}
	if len(set) == 0 {
		set = map[byte][]string{'l': {""}, 'w': {""}, 'c': {""}}
	}
	status := 0
	for _, file := range operands(rest) {
		data, err := p.Input(file)
		if err != nil {
			status = p.Fail("%s: %v", file, err)
			continue
		}
		var row []string
		for _, c := range []byte("lwc") {
			n := map[byte]int{'l': bytes.Count(data, []byte("\n")), 'w': len(bytes.Fields(data)), 'c': len(data)}[c]
			if set[c] != nil {
				row = append(row, strconv.Itoa(n))
			}
		}
		if len(row) > 1 {
			for i := range row {
				row[i] = fmt.Sprintf("%7s", row[i])
			}
		}
		if file != "-" || len(rest) > 0 {
			row = append(row, file)
		}
		p.Print(strings.Join(row, " ") + "\n")
	}
	return p.Done(status)
}

func cmdSha256sum(_ context.Context, p *Proc) int {
	_, rest, ok := p.Flags("b", map[string]byte{"binary": 'b'})
	if !ok {
		return 1
	}
	status := 0
	for _, file := range operands(rest) {
		data, err := p.Input(file)
		if err != nil {
			status = p.Fail("%s: %v", file, err)
			continue
		}
		p.Printf("%x  %s\n", sha256.Sum256(data), file)
	}
	return p.Done(status)
}

// cmdTr supports sets with ranges, escapes and the classes of ctype, and -d, -s and -c.
func cmdTr(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("dscC", map[string]byte{"delete": 'd', "squeeze-repeats": 's', "complement": 'c'})
	if !ok {
		return 1
	}
	if len(rest) == 0 || len(rest) == 1 && set['d'] == nil && set['s'] == nil {
		return p.Usage("missing operand")
	}
	from := trSet(rest[0])
	if set['c'] != nil || set['C'] != nil {
		var rest []byte
		for c := range 256 {
			if bytes.IndexByte(from, byte(c)) < 0 {
				rest = append(rest, byte(c))
			}
		}
		from = rest
	}
	var to []byte
	squeeze := from
	if len(rest) > 1 {
		to = trSet(rest[1])
		squeeze = to
	}
	data, err := p.readAll()
	if err != nil {
		return p.Fail("read error: %v", err)
	}
	var out []byte
	for _, c := range data {
		k := bytes.LastIndexByte(from, c)
		switch {
		case k >= 0 && set['d'] != nil:
			continue
		case k >= 0 && len(to) > 0:
			c = to[min(k, len(to)-1)]
		}
		if set['s'] != nil && len(out) > 0 && out[len(out)-1] == c && bytes.IndexByte(squeeze, c) >= 0 {
			continue
		}
		out = append(out, c)
	}
	p.Print(string(out))
	return p.Done(0)
}

var trClasses = map[string]string{
	"[:space:]": "\t\n\v\f\r ", "[:blank:]": "\t ", "[:digit:]": "0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z",
	"[:alpha:]": "A-Za-z", "[:alnum:]": "0-9A-Za-z", "[:xdigit:]": "0-9A-Fa-f",
}

func trSet(s string) []byte {
	for class, set := range trClasses {
		s = strings.ReplaceAll(s, class, set)
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
			c = s[i]
			if k := strings.IndexByte("abfnrtv", c); k >= 0 {
				c = "\a\b\f\n\r\t\v"[k]
			} else if c >= '0' && c <= '7' {
				j := i
				for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' {
					j++
				}
				n, _ := strconv.ParseUint(s[i:j], 8, 16)
				c, i = byte(n), j-1
			}
		case i+2 < len(s) && s[i+1] == '-' && s[i+2] >= c:
			for b := int(c); b <= int(s[i+2]); b++ {
				out = append(out, byte(b))
			}
			i += 2
			continue
		}
		out = append(out, c)
	}
	return out
}

// cmdCut supports -f with -d and -s, and -c and -b.
func cmdCut(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("d:f:c:b:s", map[string]byte{"delimiter": 'd', "fields": 'f', "only-delimited": 's'})
	if !ok {
		return 1
	}
	delim, given := last(set, 'd')
	if !given {
		delim = "\t"
	}
	if len(delim) != 1 {
		return p.Usage("the delimiter must be a single character")
	}
	list, fields := last(set, 'f')
	if !fields {
		var bytesGiven bool
		if list, bytesGiven = last(set, 'c'); !bytesGiven {
			if list, bytesGiven = last(set, 'b'); !bytesGiven {
				return p.Usage("you must specify a list of bytes, characters, or fields")
			}
		}
	}
	picked, err := cutList(list)
	if err != nil {
		return p.Usage("%v", err)
	}
	status := 0
	for _, file := range operands(rest) {
		data, err := p.Input(file)
		if err != nil {
			status = p.Fail("%s: %v", file, err)
			continue
		}
		for _, line := range lines(data) {
			line = strings.TrimSuffix(line, "\n")
			if fields && !strings.Contains(line, delim) {
				if set['s'] == nil {
					p.Print(line + "\n")
				}
				continue
			}
			sep := ""
			if fields {
				sep = delim
			}
			var out []string
			for i, part := range strings.Split(line, sep) {
				if picked(i + 1) {
					out = append(out, part)
				}
			}
			p.Print(strings.Join(out, sep) + "\n")
		}
	}
	return p.Done(status)
}

func cutList(list string) (func(int) bool, error) {
	type span struct{ from, to int }
	var spans []span
	for item := range strings.SplitSeq(list, ",") {
		a, b, ranged := strings.Cut(item, "-")
		s := span{1, 1 << 30}
		var err, err2 error
		if a != "" {
			s.from, err = strconv.Atoi(a)
		}
		switch {
		case !ranged:
			s.to = s.from
		case b != "":
			s.to, err2 = strconv.Atoi(b)
		}
		if err != nil || err2 != nil || item == "" || item == "-" || s.from < 1 || s.to < s.from {
			return nil, fmt.Errorf("invalid field value '%s'", item)
		}
		spans = append(spans, s)
	}
	return func(n int) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return s.from <= n && n <= s.to })
	}, nil
}

// cmdSort supports -u, -r, -n and -k N with -t.
func cmdSort(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("urnk:t:V", map[string]byte{"unique": 'u', "reverse": 'r', "numeric-sort": 'n', "key": 'k'})
	if !ok {
		return 2
	}
	var all []string
	for _, file := range operands(rest) {
		data, err := p.Input(file)
		if err != nil {
			p.errorf("cannot read: %s: %v", file, err)
			return 2
		}
		for _, line := range lines(data) {
			all = append(all, strings.TrimSuffix(line, "\n"))
		}
	}
	key := func(s string) string { return s }
	if k, given := last(set, 'k'); given {
		first, _, _ := strings.Cut(k, ",")
		n, err := strconv.Atoi(strings.TrimRight(first, "nr"))
		if err != nil || n < 1 {
			p.errorf("invalid number at field start: invalid count at start of '%s'", k)
			return 2
		}
		sep, _ := last(set, 't')
		key = func(s string) string {
			parts := strings.Fields(s)
			if sep != "" {
				parts = strings.Split(s, sep)
			}
			if n > len(parts) {
				return ""
			}
			return parts[n-1]
		}
	}
	order := func(a, b string) int { return cmp.Compare(key(a), key(b)) }
	if set['n'] != nil {
		order = func(a, b string) int { return cmp.Compare(leadingNumber(key(a)), leadingNumber(key(b))) }
	}
	slices.SortStableFunc(all, func(a, b string) int {
		c := order(a, b)
		if c == 0 && set['u'] == nil {
			c = cmp.Compare(a, b)
		}
		if set['r'] != nil {
			return -c
		}
		return c
	})
	if set['u'] != nil {
		all = slices.CompactFunc(all, func(a, b string) bool { return order(a, b) == 0 })
	}
	for _, line := range all {
		p.Print(line + "\n")
	}
	return p.Done(0)
}

func leadingNumber(s string) float64 {
	s = strings.TrimLeft(s, " \t")
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' || n == 0 && s[n] == '-') {
		n++
	}
	f, _ := strconv.ParseFloat(s[:n], 64)
	return f
}

// cmdGrep supports basic, extended and fixed patterns, with -q -x -c -v -i -n -l -s -o -e.
func cmdGrep(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("rqFExcvinlsoe:h", map[string]byte{
		"recursive": 'r', "quiet": 'q', "fixed-strings": 'F', "line-regexp": 'x',
		"count": 'c', "invert-match": 'v', "extended-regexp": 'E',
	})
	if !ok {
		return 2
	}
	patterns := set['e']
	if patterns == nil {
		if len(rest) == 0 {
			fmt.Fprintln(p.Stderr, "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.")
			return 2
		}
		patterns, rest = rest[:1], rest[1:]
	}
	var alternatives []string
	for _, pattern := range patterns {
		for one := range strings.SplitSeq(pattern, "\n") {
			switch {
			case set['F'] != nil:
				one = regexp.QuoteMeta(one)
			case set['E'] == nil:
				one = basicRegexp(one)
			}
			alternatives = append(alternatives, "(?:"+one+")")
		}
	}
	expr := strings.Join(alternatives, "|")
	if set['x'] != nil {
		expr = "^(?:" + expr + ")$"
	}
	if set['i'] != nil {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		p.errorf("Invalid regular expression")
		return 2
	}
	if set['r'] != nil {
		rest = p.below(rest)
	}
	status, failed := 1, false
	for _, file := range operands(rest) {
		data, err := p.Input(file)
		if err != nil {
			if set['s'] == nil {
				p.errorf("%s: %v", file, err)
			}
			failed = true
			continue
		}
		prefix := ""
		if (len(rest) > 1 || set['r'] != nil) && set['h'] == nil {
			prefix = file + ":"
		}
		count := 0
		for i, line := range lines(data) {
			line = strings.TrimSuffix(line, "\n")
			if re.MatchString(line) == (set['v'] != nil) {
				continue
			}
			count++
			switch {
			case set['q'] != nil || set['c'] != nil || set['l'] != nil:
			case set['o'] != nil:
				for _, m := range re.FindAllString(line, -1) {
					if m != "" {
						p.Print(prefix + m + "\n")
					}
				}
			case set['n'] != nil:
				p.Printf("%s%d:%s\n", prefix, i+1, line)
			default:
				p.Print(prefix + line + "\n")
			}
		}
		if count > 0 {
			status = 0
		}
		switch {
		case set['c'] != nil && set['q'] == nil:
			p.Printf("%s%d\n", prefix, count)
		case set['l'] != nil && count > 0:
			p.Print(file + "\n")
		}
	}
	if failed && (status != 0 || set['q'] == nil) {
		status = 2
	}
	return p.Done(status)
}

// basicRegexp converts a basic regular expression to an extended one.
func basicRegexp(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if strings.IndexByte("(){}|+?", s[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		case strings.IndexByte("(){}|+?", c) >= 0, c == '*' && (i == 0 || s[:i] == "^"):
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '[':
			j := i + 1
			if j < len(s) && s[j] == '^' {
				j++
			}
			if j < len(s) && s[j] == ']' {
				j++
			}
			for j < len(s) && s[j] != ']' {
				if strings.HasPrefix(s[j:], "[:") {
					if k := strings.Index(s[j:], ":]"); k > 0 {
						j += k + 1
					}
				}
				j++
			}
			b.WriteString(s[i:min(j+1, len(s))])
			i = j
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
