package ssh

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The reader of ssh_config(5). rocec has its own reader because a wrong answer sends a change to the wrong machine. The available
// libraries treat `Match host a exec "…"` like `Match host a`, and split patterns at blanks but not at tabs. They also search for
// included files in a wrong home directory. The tests compare the reader with `ssh -G`.

// rules contains the ssh_config files of this machine.
type rules struct {
	names    []string // names of the files, in ssh's order of reading
	files    []file   // the person's file, then the system's file: the first value wins
	relative place    // an Include with a relative path in the system's file
}

// file is one ssh_config file.
type file []directive

// directive is one line of a file that affects rocec.
type directive struct {
	at    place
	key   string   // lower case
	args  []string // at least one
	files []file   // for include: the included files, in order

	system bool // the line is in the system's file, which a distribution wrote
}

// place is a line of a file.
type place struct {
	name string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.name, p.line) }

// Limits of the reader; ssh itself has the same limit of depth.
const (
	maxIncludeDepth = 16
	maxIncludeFiles = 256
	maxConfigSize   = 1 << 20
)

// Directives that rocec uses; the ssh program handles all others. Keywords with true use the rest of the line unchanged.
var directives = map[string]bool{
	"host":                 false,
	"match":                false,
	"include":              false,
	"hostname":             false,
	"user":                 false,
	"port":                 false,
	"addressfamily":        false,
	"bindaddress":          false,
	"proxyjump":            false,
	"hostkeyalias":         false,
	"identityfile":         false,
	"certificatefile":      false,
	"identitiesonly":       false,
	"identityagent":        false,
	"userknownhostsfile":   false,
	"globalknownhostsfile": false,
	"revokedhostkeys":      false,

	// Only the ssh program obeys these; see foreign.
	"bindinterface":            false,
	"canonicalizehostname":     false,
	"gssapiauthentication":     false,
	"knownhostscommand":        true,
	"pkcs11provider":           false,
	"preferredauthentications": false,
	"proxycommand":             true,
	"pubkeyauthentication":     false,
	"securitykeyprovider":      false,
}

// aliases are other names of directives.
var aliases = map[string]string{
	"identityfile2":     "identityfile",
	"smartcarddevice":   "pkcs11provider",
	"dsaauthentication": "pubkeyauthentication",
}

// many contains the directives of which all values apply, and not only the first.
var many = []string{"identityfile", "certificatefile"}

// readRules reads the files that cfg names. A missing file counts as empty, unless the person named it.
func readRules(cfg Config) (*rules, error) {
	type source struct {
		name, dir string // dir is the folder for relative includes
		must      bool
		checked   bool // whether other users must not be able to write the file
		system    bool
	}
	var sources []source
	switch {
	case cfg.ConfigFile == "none":
	case cfg.ConfigFile != "":
		sources = []source{{name: cfg.ConfigFile, dir: userDir(cfg), must: true}}
	default:
		if cfg.Home != "" {
			sources = append(sources, source{name: filepath.Join(userDir(cfg), "config"), dir: userDir(cfg), checked: true})
		}
		if cfg.System != "" {
			sources = append(sources, source{name: filepath.Join(cfg.System, "ssh_config"), dir: cfg.System, system: true})
		}
	}
	r := new(rules)
	for _, s := range sources {
		p := &parser{home: cfg.Home, dir: s.dir, checked: s.checked, system: s.system}
		f, err := p.read(s.name, 0)
		if errors.Is(err, fs.ErrNotExist) && !s.must {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.names, r.files = append(r.names, s.name), append(r.files, f)
		if s.system {
			r.relative = p.relative
		}
	}
	return r, nil
}

func userDir(cfg Config) string { return filepath.Join(cfg.Home, ".ssh") }

// parser reads one file and its includes.
type parser struct {
	home, dir string
	checked   bool // for the first file; included files are always required
	system    bool
	files     int
	relative  place // the first Include with a relative path
}

func (p *parser) read(name string, depth int) (file, error) {
	if p.files++; p.files > maxIncludeFiles {
		return nil, fmt.Errorf("%s: more than %d files are included", name, maxIncludeFiles)
	}
	var check func(string, fs.FileInfo) error
	if p.checked || depth > 0 {
		check = ownOnly
	}
	data, err := readChecked(name, maxConfigSize, check)
	if err != nil {
		return nil, err
	}
	var f file
	n := 0
	for line := range bytes.Lines(data) {
		n++
		d, err := parseLine(string(line))
		if err != nil {
			return nil, fmt.Errorf("%v: %w", place{name, n}, err)
		}
		if d.key == "" {
			continue
		}
		d.at, d.system = place{name, n}, p.system
		if d.key == "include" {
			if d.files, err = p.include(d, depth); err != nil {
				return nil, err
			}
		}
		f = append(f, d)
	}
	return f, nil
}

func (p *parser) include(d directive, depth int) ([]file, error) {
	if depth++; depth > maxIncludeDepth {
		return nil, fmt.Errorf("%v: files include each other more than %d deep", d.at, maxIncludeDepth)
	}
	var files []file
	for _, arg := range d.args {
		pattern, err := tilde(arg, p.home)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", d.at, err)
		}
		if !filepath.IsAbs(pattern) {
			if p.relative == (place{}) {
				p.relative = d.at
			}
			pattern = filepath.Join(p.dir, pattern)
		}
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%v: %q: %w", d.at, arg, err)
		}
		for _, name := range names {
			f, err := p.read(name, depth)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// parseLine parses one line. The key is empty for a comment or an unused directive.
func parseLine(line string) (directive, error) {
	const blank = " \t\r\f"
	line = strings.Trim(line, blank+"\n")
	if line == "" || line[0] == '#' {
		return directive{}, nil
	}
	end := strings.IndexAny(line, blank+"=")
	if end < 0 {
		end = len(line)
	}
	key, rest := strings.ToLower(strings.Trim(line[:end], `"`)), strings.TrimLeft(line[end:], blank)
	if after, ok := strings.CutPrefix(rest, "="); ok {
		rest = strings.TrimLeft(after, blank)
	}
	if name, ok := aliases[key]; ok {
		key = name
	}
	raw, used := directives[key]
	if !used {
		return directive{}, nil
	}
	args := []string{rest}
	if !raw {
		var err error
		if args, err = words(rest); err != nil {
			return directive{}, err
		}
	}
	if len(args) == 0 || args[0] == "" && key != "include" {
		return directive{}, fmt.Errorf("%s has no value", line[:end])
	}
	return directive{key: key, args: args}, nil
}

// words splits a line at blanks outside of quotes. A # at the start of a word begins a comment.
func words(s string) ([]string, error) {
	var args []string
	for i := 0; ; {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		if i == len(s) || s[i] == '#' {
			return args, nil
		}
		var word strings.Builder
		var quote byte
		for ; i < len(s) && (quote != 0 || s[i] != ' ' && s[i] != '\t'); i++ {
			c := s[i]
			switch {
			case c == '\\' && i+1 < len(s) && (strings.IndexByte(`"'\`, s[i+1]) >= 0 || quote == 0 && s[i+1] == ' '):
				i++
				word.WriteByte(s[i])
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote != 0 && c == quote:
				quote = 0
			default:
				word.WriteByte(c)
			}
		}
		if quote != 0 {
			return nil, fmt.Errorf("the quote %c is not closed", quote)
		}
		args = append(args, word.String())
	}
}

// tilde replaces a leading ~ by the home directory.
func tilde(path, home string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	switch {
	case !ok:
		return path, nil
	case rest != "" && rest[0] != '/':
		return "", fmt.Errorf("%q: home directories of others are not looked up; write the whole path", path)
	case home == "":
		return "", fmt.Errorf("%q: the home directory is not known", path)
	}
	return home + rest, nil
}

// readLimited reads a file of at most limit bytes.
func readLimited(name string, limit int64) ([]byte, error) { return readChecked(name, limit, nil) }

// readChecked reads a file of at most limit bytes. If check is not nil, it may refuse the file.
func readChecked(name string, limit int64, check func(string, fs.FileInfo) error) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, fmt.Errorf("%s is a pipe or a socket, and not a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if check != nil {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if err := check(name, info); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return data, nil
}

// ownOnly refuses a file that another user could have written, as ssh does, because the file decides which program runs with which keys.
func ownOnly(name string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s: others may write it (mode %04o); chmod go-w it", name, mode)
	}
	if uid, ok := owner(info); ok && uid != 0 && uid != os.Getuid() {
		return fmt.Errorf("%s: it belongs to the user %d; it must be your own, or root's", name, uid)
	}
	return nil
}
