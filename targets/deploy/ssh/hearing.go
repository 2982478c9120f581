package ssh

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// Limits for the text of the ssh program during a login. A device writes to this text, too, by banners and error texts.
const (
	mostSpoken     = 100     // largest number of shown lines
	mostSpokenLine = 4 << 10 // largest size of a line in bytes
)

// hearing reads the stderr of an ssh program. A ProxyCommand and the ssh of a jump host write to the same stderr. All of these programs
// go on writing, so hearing reads until the connection ends. It keeps the end of the text, and copies lines to the terminal during the
// login.
type hearing struct {
	from   *os.File
	mark   []byte        // text that soFar writes
	marked chan struct{} // closed when the mark was read, or when nothing more can be read
	done   chan struct{} // closed when the reading has ended
	kept   tail

	to    io.Writer // nil: no terminal
	line  []byte    // the unfinished line
	lines int       // shown
}

// hear starts to read the text that is written to in.
func hear(to io.Writer) (h *hearing, in *os.File, err error) {
	h = &hearing{mark: []byte("rocec-" + rand.Text() + "\n"), marked: make(chan struct{}), done: make(chan struct{}), to: to}
	if h.from, in, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	go h.read()
	return h, in, nil
}

// read reads until the end, or until close.
func (h *hearing) read() {
	defer close(h.done)
	over := sync.OnceFunc(func() { close(h.marked) })
	defer over()
	var held []byte // this may be the beginning of the mark
	buf := make([]byte, 4<<10)
	for login := true; ; {
		n, err := h.from.Read(buf)
		if login {
			held = append(held, buf[:n]...)
			before, _, found := bytes.Cut(held, h.mark)
			if found {
				h.take(before)
				h.show(nil, true)
				login = false
				over()
			} else if rest := len(held) - len(h.mark); rest > 0 {
				h.take(held[:rest])
				held = append(held[:0], held[rest:]...)
			}
		}
		if err != nil {
			return
		}
	}
}

// take stores and shows a piece of the text.
func (h *hearing) take(piece []byte) {
	_, _ = h.kept.Write(piece) // never fails, because tail has no limit here
	h.show(piece, false)
}

// show writes the lines to the terminal that are for people.
func (h *hearing) show(piece []byte, last bool) {
	if h.to == nil {
		return
	}
	h.line = append(h.line, piece...)
	end := bytes.LastIndexByte(h.line, '\n') + 1
	if last || len(h.line)-end > mostSpokenLine {
		end = len(h.line)
	}
	for _, line := range spoken(string(h.line[:end])) {
		switch h.lines++; {
		case h.lines <= mostSpoken:
			fmt.Fprintln(h.to, said(line))
		case h.lines == mostSpoken+1:
			fmt.Fprintf(h.to, "ssh says more than %d lines; the others are not shown\n", mostSpoken)
		}
	}
	h.line = append(h.line[:0], h.line[end:]...)
}

// soFar returns the end of the text until now, and closes in. Later text is read and not kept.
func (h *hearing) soFar(in *os.File) string {
	_, _ = in.Write(h.mark) // a pipe keeps the order, and the reader continues until the mark, so this write ends
	_ = in.Close()
	<-h.marked
	return h.kept.end()
}

// close ends the reading.
func (h *hearing) close() {
	if h != nil {
		_ = h.from.Close()
		<-h.done
	}
}

// verbose contains the prefixes of lines that ssh writes only with -v.
var verbose = []string{
	"debug", "OpenSSH_", "Authenticated to ", "Authenticated using ", "Killed by signal ", "Transferred: ", "Bytes per second: ",
}

// spoken returns the lines of ssh that are meant for people.
func spoken(text string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "@") != "" && !slices.ContainsFunc(verbose, func(start string) bool { return strings.HasPrefix(line, start) }) {
			lines = append(lines, line)
		}
	}
	return lines
}
