package lab

import (
	"io"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// The builtins that take something apart: a line, and options.

// read reads a line, byte by byte so that what follows it stays, and splits it.
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

// getopts takes the next option off the parameters.
func (sh *shell) getopts(args []string) int {
	if len(args) < 3 {
		return sh.die("getopts: Usage: getopts optstring var [arg]")
	}
	spec, name, params := args[1], args[2], args[3:]
	if len(params) == 0 {
		params = sh.params
	}
	at, _ := strconv.Atoi(sh.vars["OPTIND"].value)
	at = max(at, 1)
	if at != sh.optAt {
		sh.optAt, sh.optIn = at, 1
	}
	done := func() int {
		sh.put("OPTIND", strconv.Itoa(at))
		sh.put(name, "?")
		sh.optAt, sh.optIn = at, 1
		return 1
	}
	if at > len(params) || len(params[at-1]) < 2 || params[at-1][0] != '-' {
		return done()
	}
	if params[at-1] == "--" {
		at++
		return done()
	}
	word := params[at-1]
	c := word[sh.optIn]
	sh.optIn++
	sh.own()
	delete(sh.vars, "OPTARG")
	k := strings.IndexByte(strings.TrimPrefix(spec, ":"), c)
	quiet := strings.HasPrefix(spec, ":")
	spec = strings.TrimPrefix(spec, ":")
	option := string(c)
	switch {
	case k < 0 || c == ':':
		option = "?"
		if quiet {
			sh.put("OPTARG", string(c))
		} else {
			sh.complain("Illegal option -%c", c)
		}
	case k+1 < len(spec) && spec[k+1] == ':':
		switch {
		case sh.optIn < len(word):
			sh.put("OPTARG", word[sh.optIn:])
		case at < len(params):
			at++
			sh.put("OPTARG", params[at-1])
		case quiet:
			option = ":"
			sh.put("OPTARG", string(c))
		default:
			option = "?"
			sh.complain("No arg for -%c option", c)
		}
		sh.optIn = len(word)
	}
	if at > len(params) || sh.optIn >= len(word) {
		at, sh.optIn = at+1, 1
	}
	sh.optAt = at
	sh.put("OPTIND", strconv.Itoa(at))
	sh.put(name, option)
	return 0
}
