package unix

import (
	"context"
	"io/fs"
	"path"
	"strings"
)

// The programs of GNU coreutils 9 that work on files, in the C locale, with the features that scripts for devices use.

func cmdMkdir(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("pm:", map[string]byte{"parents": 'p', "mode": 'm'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.Usage("missing operand")
	}
	perm := fs.FileMode(0o777) &^ *p.umask
	mode, given := last(set, 'm')
	if given {
		m, ok := parseMode(mode, 0o777)
		if !ok {
			return p.Fail("invalid mode '%s'", mode)
		}
		perm = m
	}
	status := 0
	for _, dir := range rest {
		abs := p.abs(dir)
		if set['p'] != nil {
			if err := p.MkdirAll(abs, perm); err != nil {
				status = p.Fail("cannot create directory '%s': %v", dir, err)
			}
			continue
		}
		if err := p.m.FS.mkdir(p.User.cred(), abs, perm); err != nil {
			status = p.Fail("cannot create directory '%s': %v", dir, err)
		}
	}
	return status
}

// MkdirAll makes a folder and its missing parents, as mkdir -p does.
func (p *Proc) MkdirAll(abs string, perm fs.FileMode) error {
	c := p.User.cred()
	if i, err := p.m.FS.Stat(c, abs, true); err == nil {
		if i.isDir() {
			return nil
		}
		return EEXIST
	}
	if dir := parentOf(abs); dir != abs {
		if err := p.MkdirAll(dir, 0o777&^*p.umask); err != nil {
			if err == EEXIST {
				err = eNotDir
			}
			return err
		}
	}
	return p.m.FS.mkdir(c, abs, perm)
}

func cmdRmdir(_ context.Context, p *Proc) int {
	_, rest, ok := p.Flags("", nil)
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.Usage("missing operand")
	}
	status := 0
	for _, dir := range rest {
		if err := p.m.FS.rmdir(p.User.cred(), p.abs(dir)); err != nil {
			status = p.Fail("failed to remove '%s': %v", dir, err)
		}
	}
	return status
}

func cmdRm(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("rRfd", map[string]byte{"recursive": 'r', "force": 'f'})
	if !ok {
		return 1
	}
	force, deep := set['f'] != nil, set['r'] != nil || set['R'] != nil
	if len(rest) == 0 && !force {
		return p.Usage("missing operand")
	}
	status := 0
	for _, file := range rest {
		if base := path.Base(file); base == "." || base == ".." || path.Clean(p.abs(file)) == "/" {
			status = p.Fail("refusing to remove '%s'", file)
			continue
		}
		if !p.remove(file, deep, force) {
			status = 1
		}
	}
	return status
}

// remove removes a file, or a directory with its content.
func (p *Proc) remove(file string, deep, force bool) bool {
	c, abs := p.User.cred(), p.abs(file)
	i, err := p.m.FS.Stat(c, abs, false)
	switch {
	case err == eNoEnt && force, err == eNotDir && force:
		return true
	case err != nil:
		p.errorf("cannot remove '%s': %v", file, err)
		return false
	case i.isDir() && !deep:
		p.errorf("cannot remove '%s': %v", file, eIsDir)
		return false
	case i.isDir():
		list, err := p.m.FS.ReadDir(c, abs)
		if err != nil {
			p.errorf("cannot remove '%s': %v", file, err)
			return false
		}
		for _, e := range list {
			if !p.remove(file+"/"+e.name, true, force) {
				return false
			}
		}
		err = p.m.FS.rmdir(c, abs)
		if err != nil {
			p.errorf("cannot remove '%s': %v", file, err)
		}
		return err == nil
	}
	if err := p.m.FS.Unlink(c, abs); err != nil {
		p.errorf("cannot remove '%s': %v", file, err)
		return false
	}
	return true
}

// targets returns the destination of each source of cp, mv and ln: in a directory, or under one new name.
func (p *Proc) targets(rest []string, plain bool) (to func(string) string, sources []string, status int) {
	switch len(rest) {
	case 0:
		return nil, nil, p.Usage("missing file operand")
	case 1:
		return nil, nil, p.Usage("missing destination file operand after '%s'", rest[0])
	}
	dst := rest[len(rest)-1]
	i, err := p.m.FS.Stat(p.User.cred(), p.abs(dst), true)
	if err == nil && i.isDir() && !plain {
		return func(src string) string { return strings.TrimSuffix(dst, "/") + "/" + path.Base(src) }, rest[:len(rest)-1], 0
	}
	if len(rest) > 2 {
		return nil, nil, p.Fail("target '%s': %v", dst, eNotDir)
	}
	return func(string) string { return dst }, rest[:1], 0
}

func cmdCp(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("pfrRaTd", map[string]byte{"recursive": 'r', "force": 'f', "archive": 'a'})
	if !ok {
		return 1
	}
	to, sources, status := p.targets(rest, set['T'] != nil)
	if status != 0 {
		return status
	}
	deep := set['r'] != nil || set['R'] != nil || set['a'] != nil
	keep := set['p'] != nil || set['a'] != nil
	for _, src := range sources {
		if !p.copy(src, to(src), deep, keep) {
			status = 1
		}
	}
	return status
}

func (p *Proc) copy(src, dst string, deep, keep bool) bool {
	c := p.User.cred()
	i, err := p.m.FS.Stat(c, p.abs(src), !deep)
	if err != nil {
		p.errorf("cannot stat '%s': %v", src, err)
		return false
	}
	switch {
	case i.isDir() && !deep:
		p.errorf("-r not specified; omitting directory '%s'", src)
		return false
	case i.isDir():
		if err := p.MkdirAll(p.abs(dst), i.mode.Perm()); err != nil {
			p.errorf("cannot create directory '%s': %v", dst, err)
			return false
		}
		list, err := p.m.FS.ReadDir(c, p.abs(src))
		if err != nil {
			p.errorf("cannot access '%s': %v", src, err)
			return false
		}
		for _, e := range list {
			if !p.copy(src+"/"+e.name, dst+"/"+e.name, deep, keep) {
				return false
			}
		}
		return true
	case i.isLink():
		if err := p.m.FS.Symlink(c, i.target, p.abs(dst)); err != nil {
			p.errorf("cannot create symbolic link '%s': %v", dst, err)
			return false
		}
		return true
	}
	if j, err := p.m.FS.Stat(c, p.abs(dst), true); err == nil && j.ino == i.ino {
		p.errorf("'%s' and '%s' are the same file", src, dst)
		return false
	}
	data, err := p.Input(src)
	if err != nil {
		p.errorf("cannot open '%s' for reading: %v", src, err)
		return false
	}
	h, err := p.open(dst, oWRONLY|oCREATE|oTRUNC, i.mode.Perm())
	if err == eIsDir && strings.HasSuffix(dst, "/") {
		err = eNotDir // the wording of cp
	}
	if err != nil {
		p.errorf("cannot create regular file '%s': %v", dst, err)
		return false
	}
	if len(data) > 0 {
		if _, err := h.Write(data); err != nil {
			p.errorf("error writing '%s': %v", dst, err)
			return false
		}
	}
	if keep {
		_ = p.m.FS.chown(c, p.abs(dst), i.uid, i.gid) // cp ignores this error, too
		if err := p.m.FS.chmod(c, p.abs(dst), i.mode); err != nil {
			p.errorf("preserving permissions for '%s': %v", dst, err)
			return false
		}
	}
	return true
}

func cmdMv(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("fTn", map[string]byte{"force": 'f', "no-target-directory": 'T', "no-clobber": 'n'})
	if !ok {
		return 1
	}
	to, sources, status := p.targets(rest, set['T'] != nil)
	if status != 0 {
		return status
	}
	c := p.User.cred()
	for _, src := range sources {
		dst := to(src)
		if _, err := p.m.FS.Stat(c, p.abs(src), false); err != nil {
			status = p.Fail("cannot stat '%s': %v", src, err)
			continue
		}
		if _, err := p.m.FS.Stat(c, p.abs(dst), false); err == nil && set['n'] != nil {
			continue
		}
		i, _ := p.m.FS.Stat(c, p.abs(src), false)
		if j, err := p.m.FS.Stat(c, p.abs(dst), false); err == nil && i.ino == j.ino && i.dev == j.dev {
			status = p.Fail("'%s' and '%s' are the same file", src, dst)
			continue
		} else if err == nil && j.isDir() && !i.isDir() {
			status = p.Fail("cannot overwrite directory '%s' with non-directory", dst)
			continue
		}
		err := p.m.FS.rename(c, p.abs(src), p.abs(dst))
		if err == eXDev { // as mv does across file systems
			if !p.copy(src, dst, true, true) || !p.remove(src, true, true) {
				status = 1
			}
			continue
		}
		if err != nil {
			status = p.Fail("cannot move '%s' to '%s': %v", src, dst, err)
		}
	}
	return status
}

func cmdLn(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("sfnTr", map[string]byte{"symbolic": 's', "force": 'f'})
	if !ok {
		return 1
	}
	if len(rest) == 1 {
		rest = append(rest, ".")
	}
	to, sources, status := p.targets(rest, set['T'] != nil || set['n'] != nil)
	if status != 0 {
		return status
	}
	c := p.User.cred()
	for _, src := range sources {
		dst := to(src)
		if set['f'] != nil {
			_ = p.m.FS.Unlink(c, p.abs(dst)) // the link below fails if the destination still exists
		}
		kind, err := "symbolic link", error(nil)
		if set['s'] != nil {
			err = p.m.FS.Symlink(c, src, p.abs(dst))
		} else {
			kind = "hard link"
			if _, err := p.m.FS.Stat(c, p.abs(src), false); err != nil {
				status = p.Fail("failed to access '%s': %v", src, err)
				continue
			}
			err = p.m.FS.link(c, p.abs(src), p.abs(dst))
		}
		switch {
		case err == nil:
		case kind == "hard link" && err != EEXIST:
			status = p.Fail("failed to create hard link '%s' => '%s': %v", dst, src, err)
		default:
			status = p.Fail("failed to create %s '%s': %v", kind, dst, err)
		}
	}
	return status
}

func cmdTouch(_ context.Context, p *Proc) int {
	set, rest, ok := p.Flags("cam", map[string]byte{"no-create": 'c'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.Usage("missing file operand")
	}
	status := 0
	for _, file := range rest {
		flag := oWRONLY | oCREATE
		if set['c'] != nil {
			flag = oWRONLY
		}
		h, err := p.open(file, flag, 0o666)
		if err == eNoEnt && set['c'] != nil || err == eIsDir {
			continue
		}
		if err != nil {
			status = p.Fail("cannot touch '%s': %v", file, err)
			continue
		}
		h.Close()
	}
	return status
}

// cmdSync is fsync of its operands. All data is always synced, so the command only checks that the operands exist.
func cmdSync(_ context.Context, p *Proc) int {
	_, rest, ok := p.Flags("df", map[string]byte{"data": 'd', "file-system": 'f'})
	if !ok {
		return 1
	}
	status := 0
	for _, file := range rest {
		if err := p.m.FS.access(p.User.cred(), p.abs(file), 4); err != nil {
			status = p.Fail("error opening '%s': %v", file, err)
		}
	}
	return status
}

// below returns the files below folders, without links. Names that are not folders are returned unchanged.
func (p *Proc) below(paths []string) []string {
	var out []string
	for _, file := range paths {
		list, err := p.m.FS.ReadDir(p.User.cred(), p.abs(file))
		if err != nil {
			out = append(out, file)
			continue
		}
		for _, e := range list {
			if !e.isLink() {
				out = append(out, p.below([]string{strings.TrimSuffix(file, "/") + "/" + e.name})...)
			}
		}
	}
	return out
}
