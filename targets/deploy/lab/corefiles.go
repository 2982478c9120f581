package lab

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
)

// The programs of GNU coreutils 9 that work on files, as far as scripts for devices use them, in the C locale.

func cmdMkdir(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("pm:", map[string]byte{"parents": 'p', "mode": 'm'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.usage("missing operand")
	}
	perm := fs.FileMode(0o777) &^ *p.umask
	mode, given := last(set, 'm')
	if given {
		m, ok := parseMode(mode, 0o777)
		if !ok {
			return p.fail("invalid mode '%s'", mode)
		}
		perm = m
	}
	status := 0
	for _, dir := range rest {
		abs := p.abs(dir)
		if set['p'] != nil {
			if err := p.mkdirAll(abs, perm); err != nil {
				status = p.fail("cannot create directory '%s': %v", dir, err)
			}
			continue
		}
		if err := p.d.fs.mkdir(p.user.cred(), abs, perm); err != nil {
			status = p.fail("cannot create directory '%s': %v", dir, err)
		}
	}
	return status
}

func (p *proc) mkdirAll(abs string, perm fs.FileMode) error {
	c := p.user.cred()
	if i, err := p.d.fs.stat(c, abs, true); err == nil {
		if i.isDir() {
			return nil
		}
		return eExist
	}
	if dir := parentOf(abs); dir != abs {
		if err := p.mkdirAll(dir, 0o777&^*p.umask); err != nil {
			if err == eExist {
				err = eNotDir
			}
			return err
		}
	}
	return p.d.fs.mkdir(c, abs, perm)
}

func cmdRmdir(_ context.Context, p *proc) int {
	_, rest, ok := p.flags("", nil)
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.usage("missing operand")
	}
	status := 0
	for _, dir := range rest {
		if err := p.d.fs.rmdir(p.user.cred(), p.abs(dir)); err != nil {
			status = p.fail("failed to remove '%s': %v", dir, err)
		}
	}
	return status
}

func cmdRm(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("rRfd", map[string]byte{"recursive": 'r', "force": 'f'})
	if !ok {
		return 1
	}
	force, deep := set['f'] != nil, set['r'] != nil || set['R'] != nil
	if len(rest) == 0 && !force {
		return p.usage("missing operand")
	}
	status := 0
	for _, file := range rest {
		if base := path.Base(file); base == "." || base == ".." || path.Clean(p.abs(file)) == "/" {
			status = p.fail("refusing to remove '%s'", file)
			continue
		}
		if !p.remove(file, deep, force) {
			status = 1
		}
	}
	return status
}

// remove removes a file, or a directory with all it holds.
func (p *proc) remove(file string, deep, force bool) bool {
	c, abs := p.user.cred(), p.abs(file)
	i, err := p.d.fs.stat(c, abs, false)
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
		list, err := p.d.fs.readDir(c, abs)
		if err != nil {
			p.errorf("cannot remove '%s': %v", file, err)
			return false
		}
		for _, e := range list {
			if !p.remove(file+"/"+e.name, true, force) {
				return false
			}
		}
		err = p.d.fs.rmdir(c, abs)
		if err != nil {
			p.errorf("cannot remove '%s': %v", file, err)
		}
		return err == nil
	}
	if err := p.d.fs.unlink(c, abs); err != nil {
		p.errorf("cannot remove '%s': %v", file, err)
		return false
	}
	return true
}

// targets tells where cp, mv and ln put each source: into a directory, or under one new name.
func (p *proc) targets(rest []string, plain bool) (to func(string) string, sources []string, status int) {
	switch len(rest) {
	case 0:
		return nil, nil, p.usage("missing file operand")
	case 1:
		return nil, nil, p.usage("missing destination file operand after '%s'", rest[0])
	}
	dst := rest[len(rest)-1]
	i, err := p.d.fs.stat(p.user.cred(), p.abs(dst), true)
	if err == nil && i.isDir() && !plain {
		return func(src string) string { return strings.TrimSuffix(dst, "/") + "/" + path.Base(src) }, rest[:len(rest)-1], 0
	}
	if len(rest) > 2 {
		return nil, nil, p.fail("target '%s': %v", dst, eNotDir)
	}
	return func(string) string { return dst }, rest[:1], 0
}

func cmdCp(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("pfrRaTd", map[string]byte{"recursive": 'r', "force": 'f', "archive": 'a'})
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

func (p *proc) copy(src, dst string, deep, keep bool) bool {
	c := p.user.cred()
	i, err := p.d.fs.stat(c, p.abs(src), !deep)
	if err != nil {
		p.errorf("cannot stat '%s': %v", src, err)
		return false
	}
	switch {
	case i.isDir() && !deep:
		p.errorf("-r not specified; omitting directory '%s'", src)
		return false
	case i.isDir():
		if err := p.mkdirAll(p.abs(dst), i.mode.Perm()); err != nil {
			p.errorf("cannot create directory '%s': %v", dst, err)
			return false
		}
		list, err := p.d.fs.readDir(c, p.abs(src))
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
		if err := p.d.fs.symlink(c, i.target, p.abs(dst)); err != nil {
			p.errorf("cannot create symbolic link '%s': %v", dst, err)
			return false
		}
		return true
	}
	if j, err := p.d.fs.stat(c, p.abs(dst), true); err == nil && j.ino == i.ino {
		p.errorf("'%s' and '%s' are the same file", src, dst)
		return false
	}
	data, err := p.input(src)
	if err != nil {
		p.errorf("cannot open '%s' for reading: %v", src, err)
		return false
	}
	h, err := p.open(dst, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, i.mode.Perm())
	if err == eIsDir && strings.HasSuffix(dst, "/") {
		err = eNotDir // as cp words it
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
		_ = p.d.fs.chown(c, p.abs(dst), i.uid, i.gid) // cp does not mind either
		if err := p.d.fs.chmod(c, p.abs(dst), i.mode); err != nil {
			p.errorf("preserving permissions for '%s': %v", dst, err)
			return false
		}
	}
	return true
}

func cmdMv(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("fTn", map[string]byte{"force": 'f', "no-target-directory": 'T', "no-clobber": 'n'})
	if !ok {
		return 1
	}
	to, sources, status := p.targets(rest, set['T'] != nil)
	if status != 0 {
		return status
	}
	c := p.user.cred()
	for _, src := range sources {
		dst := to(src)
		if _, err := p.d.fs.stat(c, p.abs(src), false); err != nil {
			status = p.fail("cannot stat '%s': %v", src, err)
			continue
		}
		if _, err := p.d.fs.stat(c, p.abs(dst), false); err == nil && set['n'] != nil {
			continue
		}
		i, _ := p.d.fs.stat(c, p.abs(src), false)
		if j, err := p.d.fs.stat(c, p.abs(dst), false); err == nil && i.ino == j.ino && i.dev == j.dev {
			status = p.fail("'%s' and '%s' are the same file", src, dst)
			continue
		} else if err == nil && j.isDir() && !i.isDir() {
			status = p.fail("cannot overwrite directory '%s' with non-directory", dst)
			continue
		}
		err := p.d.fs.rename(c, p.abs(src), p.abs(dst))
		if err == eXDev { // as mv does between file systems
			if !p.copy(src, dst, true, true) || !p.remove(src, true, true) {
				status = 1
			}
			continue
		}
		if err != nil {
			status = p.fail("cannot move '%s' to '%s': %v", src, dst, err)
		}
	}
	return status
}

func cmdLn(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("sfnTr", map[string]byte{"symbolic": 's', "force": 'f'})
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
	c := p.user.cred()
	for _, src := range sources {
		dst := to(src)
		if set['f'] != nil {
			_ = p.d.fs.unlink(c, p.abs(dst)) // what is in the way shows below
		}
		kind, err := "symbolic link", error(nil)
		if set['s'] != nil {
			err = p.d.fs.symlink(c, src, p.abs(dst))
		} else {
			kind = "hard link"
			if _, err := p.d.fs.stat(c, p.abs(src), false); err != nil {
				status = p.fail("failed to access '%s': %v", src, err)
				continue
			}
			err = p.d.fs.link(c, p.abs(src), p.abs(dst))
		}
		switch {
		case err == nil:
		case kind == "hard link" && err != eExist:
			status = p.fail("failed to create hard link '%s' => '%s': %v", dst, src, err)
		default:
			status = p.fail("failed to create %s '%s': %v", kind, dst, err)
		}
	}
	return status
}

func cmdTouch(_ context.Context, p *proc) int {
	set, rest, ok := p.flags("cam", map[string]byte{"no-create": 'c'})
	if !ok {
		return 1
	}
	if len(rest) == 0 {
		return p.usage("missing file operand")
	}
	status := 0
	for _, file := range rest {
		flag := os.O_WRONLY | os.O_CREATE
		if set['c'] != nil {
			flag = os.O_WRONLY
		}
		h, err := p.open(file, flag, 0o666)
		if err == eNoEnt && set['c'] != nil || err == eIsDir {
			continue
		}
		if err != nil {
			status = p.fail("cannot touch '%s': %v", file, err)
			continue
		}
		h.Close()
	}
	return status
}

// cmdSync is fsync of its operands. Nothing here is ever unsynced, so all it does is to find them.
func cmdSync(_ context.Context, p *proc) int {
	_, rest, ok := p.flags("df", map[string]byte{"data": 'd', "file-system": 'f'})
	if !ok {
		return 1
	}
	status := 0
	for _, file := range rest {
		if err := p.d.fs.access(p.user.cred(), p.abs(file), 4); err != nil {
			status = p.fail("error opening '%s': %v", file, err)
		}
	}
	return status
}

// below gives the files below folders, links left out, and what is not a folder as it is.
func (p *proc) below(paths []string) []string {
	var out []string
	for _, file := range paths {
		list, err := p.d.fs.readDir(p.user.cred(), p.abs(file))
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
