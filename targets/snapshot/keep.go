package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kept are the parts of a configuration that a snapshot keeps, each as a path of keys with dots between them: "interface.*.link". A star
// matches any key. A part is kept with everything below it, except values whose key names a secret.
type Kept []string

// verdict tells whether a value is kept.
type verdict int

const (
	dropped verdict = iota
	below           // parts below it are kept
	whole
	gone // it is below a dropped part
)

// of returns the verdict for the value of a path.
func (k Kept) of(path []string) verdict {
	if isSecret(path[len(path)-1]) {
		return dropped
	}
	out := dropped
	for _, one := range k {
		keys := strings.Split(one, ".")
		n := min(len(keys), len(path))
		if !slices.EqualFunc(keys[:n], path[:n], func(want, has string) bool { return want == "*" || want == has }) {
			continue
		}
		if len(path) >= len(keys) {
			return whole
		}
		out = below
	}
	return out
}

// Path reports whether a path, or a part below it, is kept. Then no key on it names a secret.
func (k Kept) Path(keys []string) bool {
	return len(keys) > 0 && !slices.ContainsFunc(keys, isSecret) && k.of(keys) != dropped
}

// isSecret reports whether a key names a secret in any kind of configuration.
func isSecret(key string) bool {
	key = strings.ToLower(key)
	return key == "key" || slices.ContainsFunc([]string{
		"passw", "passphrase", "passkey", "secret", "community", "token", "credential", "private-key", "private_key", "auth-key", "auth_key",
		"hashed",
	}, func(part string) bool { return strings.Contains(key, part) })
}

// errNotRead is the error of a text with parts that this package cannot find.
var errNotRead = errors.New("which of its rows could hold secrets is not known")

// JSON returns a text of JSON values without the parts that are not kept, and their number. Each is replaced by an empty value of its type,
// filled with blanks, so that every other byte keeps its place. Text around the values, such as a prompt, becomes blanks. path returns the
// keys that determine the verdict for a value; nil: the value is dropped.
func (k Kept) JSON(data []byte, path func(keys []string) []string) (out []byte, count int, err error) {
	from := jsonBegin().FindIndex(data)
	if from == nil || bytes.IndexByte(data[:from[0]], '{') >= 0 { // the value begins in an earlier line
		return nil, 0, errNotRead
	}
	b := &blanker{kept: k, path: path, data: data, out: bytes.Clone(data), base: from[1] - 1}
	b.blank(0, b.base)
	b.in = json.NewDecoder(bytes.NewReader(data[b.base:]))
	b.in.UseNumber()
	for values := 0; ; values++ {
		end := b.offset()
		err := b.value(nil, below, 0)
		switch {
		case errors.Is(err, io.EOF):
			return b.out, b.count, nil
		case err != nil && values > 0:
			b.blank(end, len(data))
			return b.out, b.count, nil
		case err != nil:
			return nil, 0, errNotRead
		}
	}
}

// jsonBegin matches the first line of a text that begins with a bracket.
var jsonBegin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t\r]*[{\[]`) })

// blanker blanks parts of JSON.
type blanker struct {
	kept      Kept
	path      func([]string) []string
	data, out []byte
	base      int // of the decoder in the text
	in        *json.Decoder
	count     int
}

// offset returns the place in the text up to which the decoder has read.
func (b *blanker) offset() int { return b.base + int(b.in.InputOffset()) }

// mostDeep limits how deep values of JSON and of YAML may be nested.
const mostDeep = 64

// value reads one value. The verdict for values below it depends on their keys, unless it is settled.
func (b *blanker) value(keys []string, settled verdict, deep int) error {
	if deep > mostDeep {
		return errNotRead
	}
	token, err := b.in.Token()
	if err != nil {
		return err
	}
	to := b.offset()
	delim, nested := token.(json.Delim)
	if !nested {
		if settled == dropped || settled == below {
			b.blankScalar(token, to)
		}
		return nil
	}
	from := to - 1
	for b.in.More() {
		under, next := keys, settled
		if settled == dropped {
			next = gone
		}
		if delim == '{' {
			key, err := b.in.Token()
			if err != nil {
				return err
			}
			name, ok := key.(string)
			if !ok {
				return errNotRead
			}
			under = append(keys[:len(keys):len(keys)], name)
			if next != gone {
				next = b.verdict(under)
			}
			if next == dropped && len(under) == 1 {
				if err := b.blankRow(name, b.offset()); err != nil {
					return err
				}
			}
		}
		if err := b.value(under, next, deep+1); err != nil {
			return noEnd(err)
		}
	}
	if _, err := b.in.Token(); err != nil {
		return noEnd(err)
	}
	if to = b.offset(); settled == dropped && len(bytes.TrimSpace(b.data[from+1:to-1])) > 0 {
		b.blank(from+1, to-1)
		b.count++
	}
	return nil
}

// noEnd is the error for a text that ends inside a value.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// verdict returns the verdict for the value after a key.
func (b *blanker) verdict(keys []string) verdict {
	path := b.path(keys)
	if path == nil {
		return dropped
	}
	if len(path) == 0 {
		return below
	}
	return b.kept.of(path)
}

// blankScalar empties a text or a number that ends at a place. Truth values contain no secrets.
func (b *blanker) blankScalar(token json.Token, to int) {
	switch token.(type) {
	case string:
		from := b.begin(to)
		if to-from > 2 {
			b.blank(from+1, to)
			b.out[from+1] = '"'
			b.count++
		}
	case json.Number:
		from := to
		for from > 0 && strings.IndexByte("+-.eE0123456789", b.data[from-1]) >= 0 {
			from--
		}
		b.blank(from, to)
		b.out[from] = '0'
		b.count++
	}
}

// blankRow empties the part after the table in the key of a dropped row, which ends at a place. The key itself can be a secret, such as
// "SNMP_COMMUNITY|public". The row keeps a key of one letter.
func (b *blanker) blankRow(name string, to int) error {
	const ends = "|:"
	if !strings.ContainsAny(name, ends) {
		return nil
	}
	from := b.begin(to)
	at := bytes.IndexAny(b.data[from:to], ends)
	if at < 0 { // the key is escaped
		return errNotRead
	}
	if at += from + 1; at < to-1 {
		b.blank(at, to)
		b.out[at], b.out[at+1] = 'x', '"'
	}
	return nil
}

// begin returns the beginning of the text that ends at a place: the last quote before it that no backslash escapes.
func (b *blanker) begin(to int) int {
	for from := to - 2; from >= 0; from-- {
		if b.data[from] != '"' {
			continue
		}
		slashes := 0
		for from-1-slashes >= 0 && b.data[from-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return from
		}
	}
	return to - 1
}

// blank replaces bytes of the text by blanks, and keeps line breaks.
func (b *blanker) blank(from, to int) {
	for i := from; i < to; i++ {
		if b.out[i] != '\n' {
			b.out[i] = ' '
		}
	}
}

// Lines returns a text without the lines that keep refuses, and their number. An empty line replaces each.
func Lines(data []byte, keep func(line string) bool) (out []byte, count int) {
	var to bytes.Buffer
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(text) == "" || keep(text) {
			to.Write(line)
			continue
		}
		count++
		to.Write(line[len(text):])
	}
	return to.Bytes(), count
}
