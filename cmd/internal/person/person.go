// Package person is the user of one command: a [Person] has streams, environment, colour and width, and answers questions only on a
// terminal. [Progress] shows the progress of a verb.
package person

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/rocec/rocec/cmd/internal/ending"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Person is the user of one command: the streams, the environment, and the options of output.
type Person struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Getenv         func(string) string
	Ending         *ending.Ending // nil: signals are ignored

	Color string // --color
	Quiet bool   // --quiet

	warned  []string // texts that WarnOnce has printed
	drawing *canvas  // of stderr
}

// Terminal returns the terminal behind a stream, if there is one.
func Terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// canvasOf returns the canvas of stderr.
func canvasOf(p *Person) *canvas {
	if p.drawing == nil {
		p.drawing = &canvas{w: p.Stderr}
		if fd, ok := Terminal(p.Stderr); ok {
			p.drawing.size = func() (int, int) {
				columns, lines, err := term.GetSize(fd)
				if err != nil {
					return 0, 0
				}
				return columns, lines
			}
		}
	}
	return p.drawing
}

// ShareTerminal makes text to the terminal of stderr replace the drawing on it.
func ShareTerminal(p *Person) {
	if _, ok := Terminal(p.Stderr); !ok {
		return
	}
	c := canvasOf(p)
	p.Stderr = &shared{p.Stderr, c}
	if _, ok := Terminal(p.Stdout); ok {
		p.Stdout = &shared{p.Stdout, c}
	}
}

// Paints reports whether a stream gets colour. --color decides, then CLICOLOR_FORCE; otherwise a terminal without NO_COLOR gets colour.
func (p *Person) Paints(w io.Writer) bool {
	switch p.Color {
	case "always":
		return true
	case "never":
		return false
	}
	if v := p.Getenv("CLICOLOR_FORCE"); v != "" && v != "0" {
		return true
	}
	_, ok := Terminal(w)
	return ok && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"
}

// Width returns the column at which text is wrapped: the width of the terminal, at most 100, or $COLUMNS, or 80. A pipe gets wrapped
// text, too.
func (p *Person) Width(w io.Writer) int {
	const most, usual = 100, 80
	if fd, ok := Terminal(w); ok {
		if cols, _, err := term.GetSize(fd); err == nil && cols > 0 {
			return min(cols, most)
		}
	}
	if cols, err := strconv.Atoi(p.Getenv("COLUMNS")); err == nil && cols > 0 {
		return cols
	}
	return usual
}

// Screen returns stdout for a view.
func (p *Person) Screen() *view.Screen {
	return view.NewScreen(p.Stdout, p.Width(p.Stdout), p.Paints(p.Stdout))
}

// Fitted returns a writer that breaks lines at the width of a stream.
func (p *Person) Fitted(to io.Writer) *view.FitWriter { return view.NewFitWriter(to, p.Width(to)) }

// Say prints a note on stderr.
func (p *Person) Say(format string, args ...any) {
	out := &diag.Printer{Width: p.Width(p.Stderr)}
	out.Prose(p.Stderr, "note: ", fmt.Sprintf(format, args...)) //nolint:errcheck // a closed terminal shows no error
}

// WarnOnce prints an error that does not end the verb. It prints each text once.
func (p *Person) WarnOnce(err error) {
	text := err.Error()
	if !slices.Contains(p.warned, text) {
		p.warned = append(p.warned, text)
		fmt.Fprintf(p.Stderr, "rocec: %s\n", text)
	}
}

// WriteJSON prints one document, indented, with unescaped < and >.
func (p *Person) WriteJSON(v any) error {
	return diag.WriteJSON(p.Stdout, v, true)
}

// StateDir returns a folder for state that rocec keeps between commands.
func (p *Person) StateDir(name string) (string, error) {
	state := p.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification ignores a relative one
		home := p.Getenv("HOME")
		if home == "" {
			return "", errors.New("neither XDG_STATE_HOME nor HOME is set")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "rocec", name), nil
}

// Passphrase asks for the passphrase of a key file, only on a terminal.
func (p *Person) Passphrase(_ context.Context, file string) ([]byte, error) {
	fd, ok := Terminal(p.Stdin)
	if !ok {
		return nil, fmt.Errorf("the key %s has a passphrase and there is no terminal to ask on; load it with ssh-add", file)
	}
	fmt.Fprintf(p.Stderr, "passphrase of %s: ", target.Escape(filepath.Base(file)))
	defer fmt.Fprintln(p.Stderr)
	return term.ReadPassword(fd)
}

// Ask asks for one word before an apply. It returns an error if stdin is not a terminal, or if the person types something else.
func (p *Person) Ask(ctx context.Context, question, word string) error {
	return p.AskTo(ctx, question, word, "apply", "not applied; nothing was changed")
}

// AskTo is [Person.Ask] for another action. do names the action, and not is the error for a person who declines.
func (p *Person) AskTo(ctx context.Context, question, word, do, not string) error {
	if _, ok := Terminal(p.Stdin); !ok {
		return exit.Fail(exit.Usage, "stdin is not a terminal, so rocec cannot ask; to %s without asking use --auto-approve", do)
	}
	for line := range strings.Lines(fmt.Sprintf("%s Type %s to go on: ", question, word)) {
		text, end := strings.CutSuffix(line, "\n")
		fmt.Fprint(p.Stderr, strings.Join(view.Fit(text, p.Width(p.Stderr)), "\n"))
		if end {
			fmt.Fprintln(p.Stderr)
		}
	}
	typed := make(chan string, 1)
	go func() { // a read from a terminal cannot be cancelled
		line, err := bufio.NewReader(p.Stdin).ReadString('\n')
		if err != nil {
			line = ""
		}
		typed <- trimLine(line)
	}()
	select {
	case answer := <-typed:
		canvasOf(p).answered()
		if answer == word {
			return nil
		}
	case <-ctx.Done():
		fmt.Fprintln(p.Stderr)
	}
	return exit.Fail(exit.Interrupted, "%s", not)
}

func trimLine(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r' || s[len(s)-1] == ' ') {
		s = s[:len(s)-1]
	}
	return s
}
