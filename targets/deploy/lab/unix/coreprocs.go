package unix

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The programs that start other programs, wait, or print the user or the folder.

// cmdSudo is sudo. A user may do everything without a password, or nothing.
func cmdSudo(_ context.Context, p *Proc) int {
	args := p.Args[1:]
	as := p.m.Users["root"]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-n", "-H", "-E", "-k", "-S":
		case "--":
			args = args[1:]
			goto run
		case "-v":
			return 0
		case "-u":
			if len(args) < 2 {
				return p.Usage("option requires an argument -- 'u'")
			}
			u, ok := p.m.Users[args[1]]
			if !ok {
				return p.Fail("unknown user: %s", args[1])
			}
			as, args = u, args[1:]
		default:
			return p.Usage("invalid option -- '%s'", args[0][1:])
		}
		args = args[1:]
	}
run:
	if p.User.uid != 0 && !p.m.maySudo() {
		return p.Fail("a password is required")
	}
	if len(args) == 0 {
		return p.Usage("a command is required")
	}
	c := p.with(args...)
	from := p.User
	c.become(as, rootPath)
	c.env["SUDO_USER"], c.env["SUDO_UID"] = from.Name, strconv.Itoa(from.uid)
	if !c.exists() {
		return p.Fail("%s: command not found", args[0])
	}
	return c.Exec()
}

// exists reports whether exec would find the program.
func (p *Proc) exists() bool {
	if strings.Contains(p.Args[0], "/") {
		_, err := p.m.FS.Stat(p.User.cred(), p.abs(p.Args[0]), true)
		return err == nil
	}
	_, ok := p.look(p.Args[0], 1)
	return ok
}

// cmdTimeout ends a command and its process group after a time of the device's clock.
func cmdTimeout(_ context.Context, p *Proc) int {
	sig, again := SIGTERM, time.Duration(0)
	args := p.Args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		word := args[0]
		args = args[1:]
		var value string
		switch {
		case word == "--":
		case strings.HasPrefix(word, "-k"), strings.HasPrefix(word, "-s"),
			strings.HasPrefix(word, "--signal="), strings.HasPrefix(word, "--kill-after="):
			if _, v, long := strings.Cut(word, "="); long {
				value = v
			} else if value = word[2:]; value == "" && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			if strings.HasPrefix(word, "-k") || strings.HasPrefix(word, "--k") {
				again, _ = Duration(value)
				continue
			}
			var ok bool
			if sig, ok = signalNamed(value); !ok {
				p.Usage("'%s': invalid signal", value)
				return 125
			}
		case word == "--foreground", word == "--preserve-status", word == "-v":
		default:
			p.Usage("unrecognized option '%s'", word)
			return 125
		}
	}
	if len(args) < 2 {
		p.Usage("missing operand")
		return 125
	}
	limit, ok := Duration(args[0])
	if !ok {
		p.Usage("invalid time interval '%s'", args[0])
		return 125
	}
	c := p.forked(args[1:]...)
	if c == nil {
		return 125
	}
	t := &p.m.procs
	t.mu.Lock()
	c.self.pgid = c.self.pid
	t.mu.Unlock()
	if !c.exists() {
		c.self.Start(func() int { return 127 })
		p.errorf("failed to run command '%s': %v", args[1], eNoEnt)
		return 127
	}
	if limit == 0 {
		status, _ := c.call(p.self)
		return status
	}
	var late atomic.Bool
	alarm := p.m.Clock.Set(limit, nil, func() {
		late.Store(true)
		_ = p.m.Kill(0, -c.self.pid, sig) // the command may have ended just now
	})
	defer p.m.Clock.Drop(alarm)
	if again > 0 {
		last := p.m.Clock.Set(limit+again, nil, func() { _ = p.m.Kill(0, -c.self.pid, sigKILL) })
		defer p.m.Clock.Drop(last)
	}
	status, ok := c.call(p.self)
	switch {
	case !ok: // timeout passes its own terminating signal on to the command
		_ = p.m.Kill(0, -c.self.pid, SIGTERM)
	case late.Load() && status == 128+int(sigKILL): // timeout ends itself by the same signal
		p.self.cancel(killed{sigKILL})
		return status
	case late.Load():
		return 124
	}
	return status
}

// Duration parses the times of sleep and timeout: 5, 0.5, 2m.
func Duration(s string) (time.Duration, bool) {
	unit := time.Second
	if n := len(s); n > 0 {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[n-1]]; ok {
			unit, s = u, s[:n-1]
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e9 {
		return 0, false
	}
	return min(time.Duration(f*float64(unit)), 1000*time.Hour), true
}

func cmdSleep(_ context.Context, p *Proc) int {
	if len(p.Args) < 2 {
		return p.Usage("missing operand")
	}
	for _, arg := range p.Args[1:] {
		d, ok := Duration(arg)
		if !ok {
			return p.Usage("invalid time interval '%s'", arg)
		}
		if p.self.sleep(d) != nil {
			return 128 + int(SIGTERM)
		}
	}
	return 0
}

func cmdID(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("ugnG", map[string]byte{"user": 'u', "group": 'g', "name": 'n'})
	if !ok {
		return 1
	}
	u := p.User
	if len(rest) > 0 {
		if u, ok = p.m.Users[rest[0]]; !ok {
			return p.Fail("'%s': no such user", rest[0])
		}
	}
	switch {
	case set['n'] != nil:
		p.Print(u.Name + "\n")
	case set['u'] != nil:
		p.Printf("%d\n", u.uid)
	case set['g'] != nil, set['G'] != nil:
		p.Printf("%d\n", u.gid)
	default:
		p.Printf("uid=%d(%s) gid=%d(%s) groups=%[3]d(%[4]s)\n", u.uid, u.Name, u.gid, u.Name)
	}
	return p.Done(0)
}

func cmdHostname(_ context.Context, p *Proc) int {
	p.Print(p.m.Name + "\n")
	return p.Done(0)
}

func cmdUname(_ context.Context, p *Proc) int {
	set, _, ok := p.Flags("snrvmoa", nil)
	if !ok {
		return 1
	}
	if len(set) == 0 {
		set = map[byte][]string{'s': {""}}
	}
	var words []string
	for i, c := range []byte("snrvmo") {
		if set[c] != nil || set['a'] != nil {
			words = append(words, []string{"Linux", p.m.Name, "6.1.0-lab", "#1 SMP", "x86_64", "GNU/Linux"}[i])
		}
	}
	p.Print(strings.Join(words, " ") + "\n")
	return p.Done(0)
}

// cmdDate prints the device's own time, which starts at the same moment in every run.
func cmdDate(_ context.Context, p *Proc) int {
	_, rest, ok := p.Flags("uId:", map[string]byte{"utc": 'u'}) // the device is in UTC
	if !ok {
		return 1
	}
	format := "+%a %b %e %H:%M:%S %Z %Y"
	if len(rest) > 0 {
		format = rest[0]
	}
	if !strings.HasPrefix(format, "+") {
		return p.Fail("cannot set date: %v", ePerm)
	}
	now := p.m.now()
	layouts := map[byte]string{
		'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'F': "2006-01-02", 'T': "15:04:05",
		'Z': "MST", 'z': "-0700", 'a': "Mon", 'b': "Jan", 'e': "_2", 'y': "06", 'j': "002",
	}
	for i := 1; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			p.Print(format[i : i+1])
			continue
		}
		i++
		switch layout, ok := layouts[format[i]]; {
		case ok:
			p.Print(now.Format(layout))
		case format[i] == 's':
			p.Printf("%d", now.Unix())
		case format[i] == 'N':
			p.Printf("%09d", now.Nanosecond())
		default:
			p.Print(strings.TrimPrefix("%"+format[i:i+1], "%%"))
		}
	}
	p.Print("\n")
	return p.Done(0)
}

func cmdEnv(_ context.Context, p *Proc) int {
	args := p.Args[1:]
	c := p.with()
	for len(args) > 0 {
		switch name, value, ok := strings.Cut(args[0], "="); {
		case args[0] == "-i":
			clear(c.env)
		case args[0] == "--":
		case ok:
			c.env[name] = value
			if name == "PATH" {
				c.path = value
			}
		default:
			c.Args = args
			if !c.exists() {
				p.errorf("'%s': %v", args[0], eNoEnt)
				return 127
			}
			return c.Exec()
		}
		args = args[1:]
	}
	var rows []string
	for name, value := range c.env {
		rows = append(rows, name+"="+value+"\n")
	}
	slices.Sort(rows)
	p.Print(strings.Join(rows, ""))
	return p.Done(0)
}

func cmdTrue(context.Context, *Proc) int  { return 0 }
func cmdFalse(context.Context, *Proc) int { return 1 }

// cmdCmp is cmp. For equal files it prints nothing and returns 0.
func cmdCmp(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("s", map[string]byte{"silent": 's', "quiet": 's'})
	if !ok || len(rest) != 2 {
		return 2
	}
	var data [2][]byte
	for i, file := range rest {
		var err error
		if data[i], err = p.Input(file); err != nil {
			if set['s'] == nil {
				p.errorf("%s: %v", file, err)
			}
			return 2
		}
	}
	if string(data[0]) == string(data[1]) {
		return 0
	}
	if set['s'] == nil {
		p.Printf("%s %s differ\n", rest[0], rest[1])
	}
	return p.Done(1)
}
