package unix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// output writes the output of a builtin by one write(2), which is important for files of sysfs. It returns the exit status.
func (p *Proc) output(s string) int {
	if s == "" {
		return 0
	}
	_, err := p.stdout.Write([]byte(s))
	switch {
	case err == nil:
		return 0
	case errors.Is(err, EPIPE), errors.Is(err, fs.ErrClosed):
		return sigpipe
	case p.shell != nil:
		fmt.Fprintf(p.Stderr, "%s: %s: %[2]s: I/O error\n", p.shell.scriptName(), p.name())
		return 1
	}
	return p.Fail("write error: %v", err)
}

// builtinFail prints an error in the shell's wording.
func (p *Proc) builtinFail(status int, format string, args ...any) int {
	who := p.name()
	if p.shell != nil {
		who = p.shell.scriptName() + ": " + who
	}
	fmt.Fprintf(p.Stderr, "%s: %s\n", who, fmt.Sprintf(format, args...))
	return status
}

// cmdEcho is dash's echo: -n is the only option, and backslashes are interpreted.
func cmdEcho(_ context.Context, p *Proc) int {
	args, end := p.Args[1:], "\n"
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	text, stop := escapes(strings.Join(args, " "))
	if stop {
		end = ""
	}
	return p.output(text + end)
}

// escapes interprets the backslashes of echo and of printf's %b; stop reports whether \c ended the text.
func escapes(s string) (text string, stop bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = `abfnrtv\`, "\a\b\f\n\r\t\v\\"
		switch k := strings.IndexByte(from, s[i]); {
		case k >= 0:
			b.WriteByte(to[k])
		case s[i] == 'c':
			return b.String(), true
		case s[i] == '0':
			n, j := 0, 1
			for ; j <= 3 && i+j < len(s) && s[i+j] >= '0' && s[i+j] <= '7'; j++ {
				n = n*8 + int(s[i+j]-'0')
			}
			b.WriteByte(byte(n))
			i += j - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String(), false
}

func cmdPrintf(_ context.Context, p *Proc) int {
	args := p.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return p.builtinFail(2, "usage: printf format [arg ...]")
	}
	format, args := args[0], args[1:]
	status := 0
	for _, word := range numericArgs(format, args) {
		if _, err := strconv.ParseInt(word, 0, 64); err != nil && word != "" {
			status = p.builtinFail(1, "%s: expected numeric value", word)
		}
	}
	var b strings.Builder
	for {
		s, used, err := expand.Format(&expand.Config{}, format, args)
		if err != nil {
			return p.builtinFail(2, "%v", err)
		}
		b.WriteString(s)
		args = args[used:]
		if used == 0 || len(args) == 0 {
			break
		}
	}
	return max(p.output(b.String()), status)
}

// numericArgs returns the positions of arguments that belong to a numeric conversion.
func numericArgs(format string, args []string) []string {
	var kinds []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("0123456789 +-#.", format[i]) >= 0; i++ {
		}
		if i < len(format) && format[i] != '%' {
			kinds = append(kinds, format[i])
		}
	}
	var words []string
	for i, a := range args {
		if len(kinds) > 0 && strings.IndexByte("diouxX", kinds[i%len(kinds)]) >= 0 {
			words = append(words, a)
		}
	}
	return words
}

func cmdPwd(_ context.Context, p *Proc) int {
	dir := p.dir
	if len(p.Args) > 1 && p.Args[1] == "-P" || p.shell == nil {
		real, err := p.m.FS.realPath(p.User.cred(), dir)
		if err != nil {
			return p.builtinFail(1, "%v", err)
		}
		dir = real
	}
	return p.output(dir + "\n")
}

// cmdUmask sets one mask, which a shell and its subshells share.
func cmdUmask(_ context.Context, p *Proc) int {
	if len(p.Args) < 2 {
		return p.output(fmt.Sprintf("%04o\n", *p.umask))
	}
	mask, err := strconv.ParseUint(p.Args[1], 8, 9)
	if err != nil {
		return p.builtinFail(2, "Illegal mode: %s", p.Args[1])
	}
	*p.umask = fs.FileMode(mask)
	return 0
}

// cmdTest is test and [. It evaluates by the number of arguments, as POSIX requires, and also supports -a and -o.
func cmdTest(_ context.Context, p *Proc) int {
	args := p.Args[1:]
	if p.name() == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			return p.builtinFail(2, "missing ]")
		}
		args = args[:len(args)-1]
	}
	t := &tester{p: p, args: args}
	yes := t.expression()
	if t.err == "" && len(t.args) > 0 {
		t.err = t.args[0] + ": unexpected operator"
	}
	switch {
	case t.err != "":
		return p.builtinFail(2, "%s", t.err)
	case yes:
		return 0
	}
	return 1
}

type tester struct {
	p    *Proc
	args []string
	err  string
}

const (
	unaryOps  = " -b -c -d -e -f -g -h -k -L -n -p -r -S -s -t -u -w -x -z -O -G "
	binaryOps = " = == != < > -eq -ne -gt -ge -lt -le -nt -ot -ef "
)

func isOp(ops, s string) bool { return s != "" && strings.Contains(ops, " "+s+" ") }

// expression evaluates t.args from left to right: OR of ANDs of primaries.
func (t *tester) expression() bool {
	if len(t.args) == 0 {
		return false
	}
	yes := t.conjunction()
	for len(t.args) > 0 && t.args[0] == "-o" {
		t.args = t.args[1:]
		right := t.conjunction()
		yes = yes || right
	}
	return yes
}

func (t *tester) conjunction() bool {
	yes := t.primary()
	for len(t.args) > 0 && t.args[0] == "-a" {
		t.args = t.args[1:]
		right := t.primary()
		yes = yes && right
	}
	return yes
}

func (t *tester) take() string {
	s := t.args[0]
	t.args = t.args[1:]
	return s
}

func (t *tester) primary() bool {
	a := t.args
	switch {
	case len(a) == 0:
		t.err = "argument expected"
		return false
	case len(a) >= 3 && isOp(binaryOps, a[1]):
		t.args = a[3:]
		return t.binary(a[0], a[1], a[2])
	case a[0] == "!" && len(a) > 1:
		t.take()
		return !t.primary()
	case a[0] == "(" && len(a) > 2:
		t.take()
		yes := t.expression()
		if len(t.args) == 0 || t.take() != ")" {
			t.err = "closing paren expected"
		}
		return yes
	case len(a) >= 2 && isOp(unaryOps, a[0]):
		t.args = a[2:]
		return t.unary(a[0], a[1])
	case len(a) == 2 && isOp(binaryOps, a[1]):
		t.args = nil
		t.err = a[1] + ": argument expected"
		return false
	}
	return t.take() != ""
}

func (t *tester) unary(op, x string) bool {
	switch op {
	case "-n":
		return x != ""
	case "-z":
		return x == ""
	case "-t":
		return false // no process has a terminal
	}
	p, c := t.p, t.p.User.cred()
	switch op {
	case "-r":
		return p.m.FS.access(c, p.abs(x), 4) == nil
	case "-w":
		return p.m.FS.access(c, p.abs(x), 2) == nil
	case "-x":
		return p.m.FS.access(c, p.abs(x), 1) == nil
	}
	i, err := p.m.FS.Stat(c, p.abs(x), op != "-h" && op != "-L")
	if err != nil {
		return false
	}
	switch op {
	case "-e":
		return true
	case "-f":
		return i.mode.IsRegular()
	case "-d":
		return i.isDir()
	case "-h", "-L":
		return i.isLink()
	case "-s":
		return i.Size() > 0 || i.isDir()
	case "-c":
		return i.mode&fs.ModeCharDevice != 0
	case "-O":
		return i.uid == p.User.uid
	case "-G":
		return i.gid == p.User.gid
	}
	return false // a device has no pipes, sockets, block devices or sticky bits
}

func (t *tester) binary(x, op, y string) bool {
	switch op {
	case "=", "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case ">":
		return x > y
	case "-nt", "-ot":
		return false // file times never change
	case "-ef":
		c := t.p.User.cred()
		i, err := t.p.m.FS.Stat(c, t.p.abs(x), true)
		j, err2 := t.p.m.FS.Stat(c, t.p.abs(y), true)
		return err == nil && err2 == nil && i.ino == j.ino
	}
	m, n := t.number(x), t.number(y)
	switch op {
	case "-eq":
		return m == n
	case "-ne":
		return m != n
	case "-gt":
		return m > n
	case "-ge":
		return m >= n
	case "-lt":
		return m < n
	}
	return m <= n
}

func (t *tester) number(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil && t.err == "" {
		t.err = "Illegal number: " + s
	}
	return n
}
