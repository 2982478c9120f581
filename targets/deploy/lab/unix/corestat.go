package unix

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// The programs that print or change the metadata of a file.

func cmdChmod(_ context.Context, p *Proc) int {
	args := p.Args[1:]
	if len(args) > 0 && (args[0] == "--" || args[0] == "-f") {
		args = args[1:]
	}
	switch len(args) {
	case 0:
		return p.Usage("missing operand")
	case 1:
		return p.Usage("missing operand after '%s'", args[0])
	}
	status := 0
	for _, file := range args[1:] {
		i, err := p.m.FS.Stat(p.User.cred(), p.abs(file), true)
		if err != nil {
			status = p.Fail("cannot access '%s': %v", file, err)
			continue
		}
		perm, ok := parseMode(args[0], i.mode.Perm())
		if !ok {
			return p.Usage("invalid mode: '%s'", args[0])
		}
		if err := p.m.FS.chmod(p.User.cred(), p.abs(file), perm); err != nil {
			status = p.Fail("changing permissions of '%s': %v", file, err)
		}
	}
	return status
}

// parseMode parses an octal mode, or a symbolic one that changes old.
func parseMode(s string, old fs.FileMode) (fs.FileMode, bool) {
	if n, err := strconv.ParseUint(s, 8, 12); err == nil {
		return fs.FileMode(n).Perm(), true
	}
	perm := old
	for clause := range strings.SplitSeq(s, ",") {
		k := strings.IndexAny(clause, "+-=")
		if k < 0 {
			return 0, false
		}
		var who, what fs.FileMode
		for _, c := range clause[:k] {
			m, ok := map[rune]fs.FileMode{'u': 0o700, 'g': 0o070, 'o': 0o007, 'a': 0o777}[c]
			if !ok {
				return 0, false
			}
			who |= m
		}
		if who == 0 {
			who = 0o777
		}
		for _, c := range clause[k+1:] {
			m, ok := map[rune]fs.FileMode{'r': 0o444, 'w': 0o222, 'x': 0o111, 'X': 0o111}[c]
			if !ok {
				return 0, false
			}
			what |= m
		}
		switch clause[k] {
		case '+':
			perm |= who & what
		case '-':
			perm &^= who & what
		default:
			perm = perm&^who | who&what
		}
	}
	return perm, true
}

func cmdChown(_ context.Context, p *Proc) int {
	_, rest, ok := p.Flags("hf", nil)
	if !ok {
		return 1
	}
	switch len(rest) {
	case 0:
		return p.Usage("missing operand")
	case 1:
		return p.Usage("missing operand after '%s'", rest[0])
	}
	owner, group, hasGroup := strings.Cut(rest[0], ":")
	uid, gid := -1, -1
	if owner != "" {
		if uid, ok = p.m.uid(owner); !ok {
			return p.Fail("invalid user: '%s'", rest[0])
		}
	}
	if hasGroup && group != "" {
		if gid, ok = p.m.gid(group); !ok {
			return p.Fail("invalid group: '%s'", rest[0])
		}
	}
	status := 0
	for _, file := range rest[1:] {
		switch err := p.m.FS.chown(p.User.cred(), p.abs(file), uid, gid); {
		case err == eNoEnt:
			status = p.Fail("cannot access '%s': %v", file, err)
		case err != nil:
			status = p.Fail("changing ownership of '%s': %v", file, err)
		}
	}
	return status
}

// cmdStat supports -c and --printf with the formats for mode, owner, size and name.
func cmdStat(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("c:L", map[string]byte{"format": 'c', "dereference": 'L'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.Usage("missing operand")
	}
	format, given := last(set, 'c')
	if !given {
		format = "  File: %n\n  Size: %s\nAccess: (0%a)  Uid: %u/%U  Gid: %g/%G"
	}
	status := 0
	for _, file := range rest {
		i, err := p.m.FS.Stat(p.User.cred(), p.abs(file), set['L'] != nil)
		if err != nil {
			status = p.Fail("cannot statx '%s': %v", file, err)
			continue
		}
		for k := 0; k < len(format); k++ {
			if format[k] != '%' || k+1 == len(format) {
				p.Print(format[k : k+1])
				continue
			}
			k++
			p.Print(statField(p, format[k], file, i))
		}
		p.Print("\n")
	}
	return p.Done(status)
}

func statField(p *Proc, c byte, file string, i Info) string {
	switch c {
	case 'a':
		return fmt.Sprintf("%o", i.mode.Perm())
	case 'u':
		return strconv.Itoa(i.uid)
	case 'g':
		return strconv.Itoa(i.gid)
	case 'U':
		return p.m.userName(i.uid)
	case 'G':
		return p.m.userName(i.gid)
	case 's':
		return strconv.FormatInt(i.Size(), 10)
	case 'h':
		return strconv.Itoa(i.links)
	case 'i':
		return strconv.Itoa(i.ino)
	case 'n':
		return file
	case 'Y', 'X', 'Z', 'W':
		return "0"
	case 'd':
		return strconv.Itoa(cmp.Or(i.dev, 65024))
	case 'F':
		switch {
		case i.isDir():
			return "directory"
		case i.isLink():
			return "symbolic link"
		case i.mode&fs.ModeCharDevice != 0:
			return "character special file"
		case i.Size() == 0:
			return "regular empty file"
		}
		return "regular file"
	case '%':
		return "%"
	}
	return "?"
}

func cmdLs(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("1aAdl", map[string]byte{"all": 'a', "directory": 'd'})
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		rest = []string{"."}
	}
	show := func(name string, i Info) {
		if set['l'] != nil {
			kind := map[bool]string{true: "d", false: "-"}[i.isDir()]
			p.Printf("%s%s %d %s %s %d Jan  1  2026 ", kind, i.mode.Perm().String()[1:], i.links, p.m.userName(i.uid), p.m.userName(i.gid), i.Size())
			if i.isLink() {
				name += " -> " + i.target
			}
		}
		p.Print(name + "\n")
	}
	status := 0
	slices.Sort(rest)
	for _, file := range rest {
		i, err := p.m.FS.Stat(p.User.cred(), p.abs(file), set['d'] == nil && set['l'] == nil)
		if err != nil {
			p.errorf("cannot access '%s': %v", file, err)
			status = 2
			continue
		}
		if !i.isDir() || set['d'] != nil {
			show(file, i)
			continue
		}
		list, err := p.m.FS.ReadDir(p.User.cred(), p.abs(file))
		if err != nil {
			p.errorf("cannot open directory '%s': %v", file, err)
			status = 2
			continue
		}
		if len(rest) > 1 {
			p.Print(file + ":\n")
		}
		if set['a'] != nil {
			p.Print(".\n..\n")
		}
		for _, e := range list {
			if e.name[0] != '.' || set['a'] != nil || set['A'] != nil {
				show(e.name, e)
			}
		}
	}
	return p.Done(status)
}

func cmdReadlink(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("fenm", map[string]byte{"canonicalize": 'f'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.Usage("missing operand")
	}
	status := 0
	for _, file := range rest {
		var s string
		var err error
		if set['f'] != nil || set['e'] != nil || set['m'] != nil {
			s, err = p.m.FS.realPath(p.User.cred(), p.abs(file))
		} else {
			s, err = p.m.FS.readLink(p.User.cred(), p.abs(file))
		}
		if err != nil {
			status = 1 // readlink prints no error
			continue
		}
		p.Print(s)
		if set['n'] == nil {
			p.Print("\n")
		}
	}
	return p.Done(status)
}

// cmdDf supports -P, -k and -i. The whole device is one file system.
func cmdDf(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("Pkih", map[string]byte{"portability": 'P', "inodes": 'i'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		rest = []string{"/"}
	}
	status, header := 0, false
	for _, file := range rest {
		if _, err := p.m.FS.Stat(p.User.cred(), p.abs(file), true); err != nil {
			status = p.Fail("%s: %v", file, err)
			continue
		}
		title := []any{"1024-blocks", "Used", "Available", "Capacity"}
		if set['i'] != nil {
			title = []any{"Inodes", "IUsed", "IFree", "IUse%"}
		}
		if !header {
			p.Printf("%-14s %11s %9s %9s %8s %s\n", append(append([]any{"Filesystem"}, title...), "Mounted on")...)
			header = true
		}
		p.m.FS.mu.Lock()
		size, used := p.m.FS.limit/1024, (p.m.FS.used+1023)/1024
		if set['i'] != nil {
			size, used = 65536, p.m.FS.inodes
		}
		p.m.FS.mu.Unlock()
		free := max(size-used, 0)
		p.Printf("%-14s %11d %9d %9d %7d%% %s\n", "/dev/sda4", size, used, free, (used*100+max(size, 1)-1)/max(size, 1), "/")
	}
	return p.Done(status)
}
