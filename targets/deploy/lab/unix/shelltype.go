package unix

import (
	"context"
	"slices"
	"strings"
)

// ownBuiltins returns the function of a builtin of sh. A builtin that is also a program is in /usr/bin as well.
func ownBuiltins(name string) (Command, bool) {
	switch name {
	case "echo":
		return cmdEcho, true
	case "printf":
		return cmdPrintf, true
	case "test", "[":
		return cmdTest, true
	case "pwd":
		return cmdPwd, true
	case "umask":
		return cmdUmask, true
	case "type":
		return cmdType, true
	case "kill":
		return cmdKill, true
	}
	return nil, false
}

var keywords = []string{"!", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while", "{", "}"}

// cmdType is type, and command -v and -V.
func cmdType(_ context.Context, p *Proc) int {
	names, short := p.Args[1:], false
	if len(names) > 0 && (names[0] == "-v" || names[0] == "-V") {
		names, short = names[1:], names[0] == "-v"
	}
	status := 0
	for _, name := range names {
		what, where := "", name
		_, own := builtinOf(name)
		switch {
		case p.shell != nil && p.shell.hasFunction(name):
			what = "a shell function"
		case slices.Contains(keywords, name):
			what = "a shell keyword"
		case own:
			what = "a shell builtin"
		default:
			file, ok := name, false
			if strings.Contains(name, "/") {
				i, err := p.m.FS.Stat(p.User.cred(), p.abs(name), true)
				ok = err == nil && i.may(p.User.cred(), 1)
			} else {
				file, ok = p.look(name, 1)
			}
			if !ok {
				status = 127
				if !short {
					p.output(name + ": not found\n")
				}
				continue
			}
			what, where = file, file
		}
		if short {
			p.output(where + "\n")
		} else {
			p.output(name + " is " + what + "\n")
		}
	}
	return status
}
