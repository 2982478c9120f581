package unix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Interact runs the login shell of a client that sent no command. The shell runs its input line by line, with a prompt if the client has
// a terminal.
func (m *Machine) Interact(ctx context.Context, u *User, terminal bool, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	return m.session(ctx, u, stdin, stdout, stderr, func(p *Proc) int {
		p.Args = []string{"sh"}
		sh := newShell(p, "sh", nil)
		return sh.interact(terminal)
	})
}

func (sh *shell) interact(terminal bool) int {
	prompt := func(more bool) {
		if !terminal {
			return
		}
		if more {
			fmt.Fprint(sh.p.stdout, "> ")
			return
		}
		mark := "$"
		if sh.p.User.uid == 0 {
			mark = "#"
		}
		dir := sh.p.dir
		if rest, ok := strings.CutPrefix(dir, sh.p.User.home); ok && (rest == "" || rest[0] == '/') {
			dir = "~" + rest
		}
		fmt.Fprintf(sh.p.stdout, "%s@%s:%s%s ", sh.p.User.Name, sh.p.m.Name, dir, mark)
	}
	for text := ""; sh.flow != exiting; {
		prompt(text != "")
		line, more := sh.line()
		if !more && line == "" {
			break
		}
		text += line
		if more && unfinished(text) {
			continue
		}
		file, err := parse(text)
		text = ""
		if err != nil {
			sh.complain("%v", err)
			sh.last = 2
			continue
		}
		sh.stmts(file.Stmts)
		if terminal && sh.flow == exiting && sh.died { // a syntax error does not end a shell at a terminal
			sh.flow = goOn
		}
		sh.died = false
		if sh.flow != exiting {
			sh.flow = goOn
		}
	}
	sh.end()
	return sh.last
}

// line reads one line of stdin, byte by byte, because the rest of the input is for the commands of the line. more is false at the end of
// the input.
func (sh *shell) line() (line string, more bool) {
	var b strings.Builder
	for c := make([]byte, 1); b.Len() <= maxScript; {
		n, _ := sh.p.stdin.Read(c)
		if n == 0 {
			return b.String(), false
		}
		b.WriteByte(c[0])
		if c[0] == '\n' {
			return b.String(), true
		}
	}
	return b.String(), false
}

// unfinished reports whether a command continues in the next line.
func unfinished(text string) bool {
	if strings.HasSuffix(text, "\\\n") {
		return true
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	var pe syntax.ParseError
	return errors.As(err, &pe) && pe.Incomplete
}
