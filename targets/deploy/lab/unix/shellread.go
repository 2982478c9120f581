package unix

import (
	"io"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// The builtins that parse a line (read) and options (getopts).

// read reads a line and splits it. It reads byte by byte, so that the next line stays in the input.
func (sh *shell) read(args []string) int {
	rest, raw := args[1:], false
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if rest[0] != "-r" && rest[0] != "--" {
			return sh.die("read: Illegal option %s", rest[0])
		}
		raw = raw || rest[0] == "-r"
		rest = rest[1:]
	}
	if len(rest) == 0 {
		sh.complain("read: arg count")
		return 2
	}
	var line []byte
	status := 0
	for b := make([]byte, 1); ; {
		n, err := sh.p.stdin.Read(b)
		if n == 0 {
			if err != nil && err != io.EOF && sh.p.self.ctx.Err() != nil {
				sh.flow = exiting
			}
			status = 1
			break
		}
		if b[0] == '\n' {
			if raw || !oddBackslashes(line) {
				break
			}
			line = line[:len(line)-1]
			continue
		}
		if b[0] != 0 {
			line = append(line, b[0])
		}
	}
	values := expand.ReadFields(sh.config(), string(line), len(rest), raw)
	for i, name := range rest {
		value := ""
		if i < len(values) {
			value = values[i]
		}
		if !sh.assign(name, value) {
			return 2
		}
	}
	return status
}

func oddBackslashes(line []byte) bool {
	n := 0
	for i := len(line) - 1; i >= 0 && line[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
