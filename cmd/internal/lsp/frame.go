package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of messages of a client.
const (
	maxLine   = 4 << 10  // bytes of one line of a header
	maxHeader = 64       // lines of a header
	maxBody   = 32 << 20 // bytes of a message
)

// frameError is the error of an unreadable message; the messages after it can still be read.
type frameError struct{ why string }

func (e *frameError) Error() string { return e.why }

// frames reads messages: a header of "Name: value" lines, an empty line, and the number of bytes in Content-Length.
type frames struct{ in *bufio.Reader }

func newFrames(in io.Reader) *frames { return &frames{bufio.NewReaderSize(in, maxLine)} }

// next returns the next message. After a [frameError] reading goes on; any other error ends it.
func (f *frames) next() ([]byte, error) {
	length, bad := -1, ""
	for n := 0; ; n++ {
		line, err := f.line()
		if tooLong, ok := errors.AsType[*frameError](err); ok {
			bad = tooLong.why
			continue
		} else if err != nil {
			return nil, err
		}
		if line == "" {
			if n > 0 {
				break
			}
			n = -1 // empty lines between messages do no harm
			continue
		}
		if n == maxHeader {
			return nil, &frameError{fmt.Sprintf("the header of a message has more than %d lines", maxHeader)}
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			bad = "a line of a header is no \"Name: value\""
			continue
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		v, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if err != nil {
			bad = "Content-Length is not a number of bytes"
			continue
		}
		length = int(v)
	}
	switch {
	case length < 0 && bad == "":
		return nil, &frameError{"a message has no Content-Length"}
	case length < 0:
		return nil, &frameError{bad}
	case length > maxBody:
		if _, err := io.CopyN(io.Discard, f.in, int64(length)); err != nil {
			return nil, err
		}
		return nil, &frameError{fmt.Sprintf("a message of %d bytes is larger than %d", length, maxBody)}
	}
	// The buffer grows with the data that arrives, not with the announced length.
	var body strings.Builder
	if _, err := io.CopyN(&body, f.in, int64(length)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return []byte(body.String()), nil
}

// line reads one line without its end. It skips the rest of a line that is too long.
func (f *frames) line() (string, error) {
	line, err := f.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = f.in.ReadSlice('\n')
		}
		if err != nil {
			return "", err
		}
		return "", &frameError{fmt.Sprintf("a line of a header is longer than %d bytes", maxLine)}
	}
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// writeFrame writes one message.
func writeFrame(out io.Writer, body []byte) error {
	_, err := out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}
