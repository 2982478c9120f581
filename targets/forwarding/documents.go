package forwarding

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// documents are the JSON documents of an answer: objects with their members, lists with their values.
type documents interface {
	// begin returns the bracket of the next document, another byte for another value, or [io.EOF] after the last one.
	begin() (byte, error)
	more() bool // the document has another member or value
	key() (string, error)
	value() ([]byte, error) // after key, or of a list
	end() error             // the document ends with its own bracket
}

// decoder reads documents with encoding/json. Each value is whole and correct.
type decoder struct{ *json.Decoder }

func (d *decoder) begin() (byte, error) {
	token, err := d.Token()
	if is, ok := token.(json.Delim); ok {
		return byte(is), err
	}
	return 0, err
}

func (d *decoder) more() bool { return d.More() }

func (d *decoder) key() (string, error) {
	token, err := d.Token()
	key, _ := token.(string)
	return key, err
}

func (d *decoder) value() ([]byte, error) {
	var text json.RawMessage
	err := d.Decode(&text)
	return text, err
}

func (d *decoder) end() error {
	_, err := d.Token()
	return err
}

// scanner finds the documents, keys and values of a text without a backslash, ten times faster than [decoder]. It checks the brackets,
// commas and colons between values. Its reader checks the content: a key is a prefix, and a value is decoded or equals a decoded one. If
// the scanner fails, the text may still be correct: [decoder] decides.
type scanner struct {
	data  []byte // without a backslash, so that a string ends at its next quotation mark
	at    int
	close byte // the bracket at the end of the document
	first bool // nothing of the document is read
}

// errForm is the error of [scanner].
var errForm = errors.New("another form than programs print")

// peek returns the next byte that is no white space; 0: the text ends.
func (s *scanner) peek() byte {
	for ; s.at < len(s.data); s.at++ {
		if c := s.data[s.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// skip skips a byte, if it is the next one that is no white space.
func (s *scanner) skip(c byte) bool {
	is := s.peek() == c
	if is {
		s.at++
	}
	return is
}

func (s *scanner) begin() (byte, error) {
	c := s.peek()
	if s.at == len(s.data) {
		return 0, io.EOF
	}
	s.at, s.first, s.close = s.at+1, true, c+'}'-'{' // which is also the distance of the square brackets
	return c, nil
}

func (s *scanner) more() bool { return s.peek() != s.close } // at the end of the text, key or value fails

// comma reads the comma before a member or a value.
func (s *scanner) comma() bool {
	first := s.first
	s.first = false
	return first || s.skip(',')
}

func (s *scanner) key() (string, error) {
	if !s.comma() || !s.skip('"') {
		return "", errForm
	}
	n := bytes.IndexByte(s.data[s.at:], '"')
	if n < 0 {
		return "", errForm
	}
	key := string(s.data[s.at : s.at+n])
	if s.at += n + 1; !s.skip(':') {
		return "", errForm
	}
	return key, nil
}

// value returns an object or a list. Its brackets outside of strings are balanced in number.
func (s *scanner) value() ([]byte, error) {
	if s.close == ']' && !s.comma() {
		return nil, errForm
	}
	if c := s.peek(); c != '{' && c != '[' {
		return nil, errForm
	}
	depth := 0
	for i := s.at; i < len(s.data); i++ {
		switch s.data[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				text := s.data[s.at : i+1]
				s.at = i + 1
				return text, nil
			}
		case '"':
			n := bytes.IndexByte(s.data[i+1:], '"')
			if n < 0 {
				return nil, errForm
			}
			i += n + 1
		}
	}
	return nil, errForm
}

func (s *scanner) end() error {
	s.at++ // more has found the bracket
	return nil
}
