package ssh

import (
	"bytes"
	"crypto/fips140"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/targets/target"
)

// The reader of known_hosts files (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). rocec has its own reader because the available readers reject a
// whole file at its first invalid line. Then a line for one host would make every device unreachable. The tests compare the reader with
// ssh-keygen -F.

// The limit allows tens of thousands of hosts with all their keys.
const maxKnownSize = 64 << 20

// Markers at the start of a line.
const (
	markAuthority = "@cert-authority"
	markRevoked   = "@revoked"
)

// knownFiles contains the files of host keys that were read. Every file is read once.
type knownFiles struct {
	noting sync.Mutex
	note   func(string)

	mu    sync.Mutex
	files map[string]*knownFile
}

// knownFile is one known_hosts file.
type knownFile struct {
	once    sync.Once
	err     error
	lines   []knownLine
	byName  map[string][]int // lines that only contain plain names, by each name in lower case
	others  []int            // lines with patterns or hashes
	revoked map[string]place // keys marked @revoked, for any host, by their wire form
}

// knownLine is one line with a host key.
type knownLine struct {
	at        place
	hosts     string        // the field of patterns, in lower case unless hashed
	key       ssh.PublicKey // nil: the line is broken
	authority bool          // the key signs host certificates
	broken    string        // why the line cannot be read; its hosts are refused, because its meaning is unknown
}

func newKnownFiles(note func(string)) *knownFiles {
	if note == nil {
		note = func(string) {}
	}
	return &knownFiles{note: note, files: make(map[string]*knownFile)}
}

// read returns a known_hosts file. A missing file counts as empty.
func (k *knownFiles) read(name string) (*knownFile, error) {
	return k.once(name, func(f *knownFile) {
		data, err := readLimited(name, maxKnownSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.err = err
			return
		}
		k.noting.Lock()
		defer k.noting.Unlock()
		for _, odd := range f.parse(name, data) {
			k.note(target.Escape(odd))
		}
	})
}

// once calls load for a file at the first request, and returns the same result at later requests.
func (k *knownFiles) once(key string, load func(*knownFile)) (*knownFile, error) {
	k.mu.Lock()
	f := k.files[key]
	if f == nil {
		f = new(knownFile)
		k.files[key] = f
	}
	k.mu.Unlock()
	f.once.Do(func() { load(f) })
	return f, f.err
}

// parse reads the lines of a file, and returns a note for each skipped line.
func (f *knownFile) parse(name string, data []byte) (notes []string) {
	f.byName, f.revoked = make(map[string][]int), make(map[string]place)
	n := 0
	for raw := range bytes.Lines(data) {
		n++
		text := strings.Trim(string(raw), " \t\r\n")
		if text == "" || text[0] == '#' {
			continue
		}
		line, revoked, note := parseKnown(text)
		line.at = place{name, n}
		if note != "" {
			notes = append(notes, fmt.Sprintf("%v: the line is skipped: %s", line.at, note))
		}
		switch {
		case revoked != "":
			f.revoked[revoked] = line.at
		case line.hosts != "" && (line.key != nil || line.broken != ""):
			f.add(line)
		}
	}
	return notes
}

func (f *knownFile) add(line knownLine) {
	i := len(f.lines)
	f.lines = append(f.lines, line)
	if line.hosts[0] == '|' || strings.ContainsAny(line.hosts, "*?!") {
		f.others = append(f.others, i)
		return
	}
	for name := range strings.SplitSeq(line.hosts, ",") {
		if same := f.byName[name]; len(same) == 0 || same[len(same)-1] != i {
			f.byName[name] = append(same, i)
		}
	}
}

// parseKnown parses one line: a host key, or the wire form of a revoked key. A note states why a line is skipped. A well-formed line with
// an unknown key type is only skipped. rocec refuses the hosts of a broken line.
func parseKnown(text string) (line knownLine, revoked, note string) {
	fields := strings.Fields(text)
	marker := ""
	for len(fields) > 0 && fields[0][0] == '@' {
		marker, fields = strings.TrimPrefix(marker+" "+fields[0], " "), fields[1:]
	}
	if len(fields) == 0 {
		return line, "", fmt.Sprintf("%s names no host", said(marker))
	}
	line.hosts, line.authority = fields[0], marker == markAuthority
	if line.hosts[0] != '|' {
		line.hosts = strings.ToLower(line.hosts)
	} else if _, _, err := splitHash(line.hosts); err != nil {
		return knownLine{}, "", err.Error() // the hosts of the line are unknown
	}
	broken := func(format string, args ...any) (knownLine, string, string) {
		line.broken = fmt.Sprintf(format, args...)
		return line, "", line.broken + "; the hosts it names are refused until it is fixed or deleted"
	}
	if marker != "" && marker != markAuthority && marker != markRevoked {
		return broken("%q is not a marker; there are %s and %s", said(marker), markAuthority, markRevoked)
	}
	if len(fields) == 1 {
		return broken("it has no key")
	}
	kind := fields[1]
	if strings.Trim(kind, "0123456789") == "" {
		return line, "", "a key of SSH version 1"
	}
	if len(fields) == 2 {
		return broken("it has no key")
	}
	wire, err := base64.StdEncoding.DecodeString(fields[2])
	if err != nil {
		return broken("the key is not in base64")
	}
	var head struct {
		Kind string
		Rest []byte `ssh:"rest"`
	}
	if err := ssh.Unmarshal(wire, &head); err != nil || head.Kind != kind {
		return broken("the key is not of the type %s that the line states", said(kind))
	}
	if marker == markRevoked {
		return line, string(wire), ""
	}
	if line.key, err = ssh.ParsePublicKey(wire); err != nil {
		if knownType(kind) {
			return broken("the key cannot be read: %s", cause(err))
		}
		return line, "", fmt.Sprintf("keys of type %s are not known", said(kind))
	}
	return line, "", ""
}

// knownType reports whether rocec can read keys of this type. If so, an unreadable key of this type is broken.
func knownType(kind string) bool {
	switch kind {
	case ssh.KeyAlgoRSA, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoED25519,
		ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoSKED25519:
		return true
	}
	return isCert(kind)
}

// splitHash reads a hashed host field, "|1|SALT|HASH".
func splitHash(field string) (salt, hash []byte, err error) {
	parts := strings.Split(field, "|")
	if len(parts) != 4 || parts[1] != "1" {
		return nil, nil, errors.New("the hashed host is not of the form |1|SALT|HASH")
	}
	if salt, err = base64.StdEncoding.DecodeString(parts[2]); err == nil {
		hash, err = base64.StdEncoding.DecodeString(parts[3])
	}
	if err != nil {
		return nil, nil, errors.New("the hashed host is not in base64")
	}
	return salt, hash, nil
}

// find returns the lines for a name in the notation of known_hosts: "leaf01", or "[leaf01]:2222".
func (f *knownFile) find(name string) []knownLine {
	var found []knownLine
	exact, others := f.byName[name], f.others
	for len(exact)+len(others) > 0 { // in the order of the file
		if len(others) == 0 || len(exact) > 0 && exact[0] < others[0] {
			found, exact = append(found, f.lines[exact[0]]), exact[1:]
			continue
		}
		if line := f.lines[others[0]]; line.names(name) {
			found = append(found, line)
		}
		others = others[1:]
	}
	return found
}

// names reports whether the field of hosts matches a name.
func (l *knownLine) names(name string) bool {
	if l.hosts[0] != '|' {
		return matchList(l.hosts, name)
	}
	salt, want, err := splitHash(l.hosts)
	if err != nil {
		return false
	}
	var got []byte
	// HMAC-SHA1 only hides a name and has no security function, so FIPS 140 does not apply.
	fips140.WithoutEnforcement(func() {
		mac := hmac.New(sha1.New, salt)
		mac.Write([]byte(name))
		got = mac.Sum(nil)
	})
	return bytes.Equal(got, want)
}

// hostKeys contains the keys of one server in the files.
type hostKeys struct {
	lines   []knownLine
	revoked []map[string]place // by the wire form of a key
}

// find returns the lines for a server in files of host keys, and the revoked keys. For port 22, the lines that match the host apply. For
// another port, the lines that match [host]:port apply. If there are none, lines without a port apply if they match the host by a
// wildcard.
func (k *knownFiles) find(names, revoked []string, lookup string) (*hostKeys, error) {
	host, port, err := net.SplitHostPort(lookup)
	if err != nil {
		return nil, err
	}
	name := host
	if port != "22" {
		name = "[" + host + "]:" + port
	}
	h := new(hostKeys)
	var wild []knownLine
	for _, file := range names {
		f, err := k.read(file)
		if err != nil {
			return nil, err
		}
		h.lines = append(h.lines, f.find(name)...)
		h.revoked = append(h.revoked, f.revoked)
		if port == "22" {
			continue
		}
		for _, line := range f.find(host) {
			if line.hosts[0] != '|' && strings.Contains(line.hosts, "*") && !strings.Contains(line.hosts, "]:") {
				wild = append(wild, line)
			}
		}
	}
	if len(h.lines) == 0 {
		h.lines = wild
	}
	for _, file := range revoked {
		keys, err := k.revokedKeys(file)
		if err != nil {
			return nil, err
		}
		h.revoked = append(h.revoked, keys)
	}
	for _, line := range h.lines {
		if line.broken != "" {
			return nil, fmt.Errorf("%v: %s", line.at, line.broken)
		}
	}
	return h, nil
}

// revokedKeys reads a file of RevokedHostKeys, with one public key per line. The file must exist, because ssh trusts no server without
// it, either.
func (k *knownFiles) revokedKeys(name string) (map[string]place, error) {
	f, err := k.once("RevokedHostKeys "+name, func(f *knownFile) {
		data, err := readLimited(name, maxKnownSize)
		if err == nil {
			f.revoked, err = parseRevoked(name, data)
		}
		f.err = err
	})
	return f.revoked, err
}

func parseRevoked(name string, data []byte) (map[string]place, error) {
	if bytes.HasPrefix(data, []byte("SSHKRL\n")) {
		return nil, fmt.Errorf("%s is a key revocation list in binary form, and rocec reads one public key a line", name)
	}
	keys := make(map[string]place)
	n := 0
	for raw := range bytes.Lines(data) {
		n++
		text := bytes.TrimSpace(raw)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		fields := bytes.Fields(text)
		var wire []byte
		var err error
		if len(fields) > 1 {
			wire, err = base64.StdEncoding.DecodeString(string(fields[1]))
		}
		if len(wire) == 0 || err != nil {
			return nil, fmt.Errorf("%v: this is not a public key", place{name, n})
		}
		keys[string(wire)] = place{name, n}
	}
	return keys, nil
}

// revokedAt returns the place of the line that revokes a key. For a certificate, it checks the key inside and the authority that signed
// it.
func (h *hostKeys) revokedAt(key ssh.PublicKey) (place, bool) {
	keys := []ssh.PublicKey{plain(key)}
	if cert, ok := key.(*ssh.Certificate); ok {
		keys = append(keys, cert.SignatureKey)
	}
	for _, k := range keys {
		for _, list := range h.revoked {
			if at, ok := list[string(k.Marshal())]; ok {
				return at, true
			}
		}
	}
	return place{}, false
}

// holds reports whether a key is on file, as a host key or as an authority.
func (h *hostKeys) holds(key ssh.PublicKey, authority bool) bool {
	for _, line := range h.lines {
		if line.authority == authority && bytes.Equal(line.key.Marshal(), key.Marshal()) {
			return true
		}
	}
	return false
}
