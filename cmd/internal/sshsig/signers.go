package sshsig

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Signers are the lines of a file in the format of allowed_signers (ssh-keygen(1), ALLOWED SIGNERS).
type Signers struct {
	lines []signer
	text  string // that was parsed
}

// signer is one line: the principals of a key, or of the certificates of an authority, and what the key may sign.
type signer struct {
	number     int // of the line, from 1
	principals string
	authority  bool   // the key signs certificates
	namespaces string // patterns; empty: every namespace
	after      time.Time
	before     time.Time // zero: no bound, also of after
	key        *PublicKey
}

// Bounds of a file of signers.
const (
	maxSignersFile = 4 << 20
	maxSigners     = 20_000
)

// ParseSigners reads a file of signers. The error names its line.
func ParseSigners(data []byte) (*Signers, error) {
	if len(data) > maxSignersFile {
		return nil, errors.New("the file is larger than 4 MiB")
	}
	s := &Signers{text: string(data)}
	number := 0
	for line := range strings.Lines(s.text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		one, err := parseSigner(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if one.number = number; len(s.lines) == maxSigners {
			return nil, errors.New("the file has more than 20,000 signers")
		}
		s.lines = append(s.lines, *one)
	}
	return s, nil
}

// Len returns the number of signers.
func (s *Signers) Len() int { return len(s.lines) }

// Same reports whether both are of the same text.
func (s *Signers) Same(o *Signers) bool { return s == o || s != nil && o != nil && s.text == o.text }

func parseSigner(line string) (*signer, error) {
	principals, rest, err := word(line)
	if err != nil {
		return nil, err
	}
	if rest == "" {
		return nil, errors.New("a line is PRINCIPALS [OPTIONS] KEYTYPE KEY")
	}
	out := &signer{principals: principals}
	if first, after, err := word(rest); err == nil && !keyType(first) { // a type of key has neither quotes nor commas
		if err := out.options(rest[:len(rest)-len(after)]); err != nil {
			return nil, err
		}
		rest = after
	}
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return nil, errors.New("the key is missing: a line is PRINCIPALS [OPTIONS] KEYTYPE KEY")
	}
	blob, err := base64.StdEncoding.DecodeString(fields[1])
	if err != nil {
		return nil, errors.New("the base64 of the key is damaged")
	}
	if out.key, err = parsePlain(blob); err != nil {
		return nil, err
	}
	if out.key.kind != fields[0] {
		return nil, fmt.Errorf("the key is one of type %q, not %q", out.key.kind, fields[0])
	}
	return out, nil
}

func keyType(word string) bool {
	return strings.HasPrefix(word, "ssh-") || strings.HasPrefix(word, "ecdsa-") || strings.HasPrefix(word, "sk-")
}

// word cuts the first word off a line. Quotes in it may hold white space, and are taken away.
func word(line string) (first, rest string, err error) {
	var b strings.Builder
	quoted := false
	for i := range len(line) {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t'):
			return b.String(), strings.TrimLeft(line[i:], " \t"), nil
		default:
			b.WriteByte(c)
		}
	}
	if quoted {
		return "", "", errors.New("a quote has no end")
	}
	return b.String(), "", nil
}

// options reads the options of a line, each at most once: cert-authority, namespaces="…", valid-after="…", valid-before="…".
func (s *signer) options(text string) error {
	seen := map[string]bool{}
	for _, option := range split(strings.TrimSpace(text)) {
		name, value, valued := strings.Cut(option, "=")
		name = strings.ToLower(name)
		if seen[name] {
			return fmt.Errorf("the option %q is there twice", name)
		}
		seen[name] = true
		if name == "cert-authority" && !valued {
			s.authority = true
			continue
		}
		if len(value) < 3 || value[0] != '"' || value[len(value)-1] != '"' {
			return fmt.Errorf("the option %q is unknown, or has no value in quotes", option)
		}
		value = value[1 : len(value)-1]
		var err error
		switch name {
		case "namespaces":
			s.namespaces = value
		case "valid-after":
			s.after, err = moment(value)
		case "valid-before":
			s.before, err = moment(value)
		default:
			return fmt.Errorf("the option %q is unknown", name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// split cuts a text at commas outside of quotes.
func split(text string) (out []string) {
	quoted, from := false, 0
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ',' && !quoted:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return append(out, text[from:])
}

// moment reads a time: YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, and Z for UTC. Without Z it is local time.
func moment(text string) (time.Time, error) {
	bare, utc := strings.CutSuffix(text, "Z")
	zone := time.Local
	if utc {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.ParseInLocation(layout, bare, zone); err == nil && len(bare) == len(layout) {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time of the form YYYYMMDD[HHMM[SS]][Z]", text)
}

// Find returns the person whose key made a signature, if the file allows the key to sign in the namespace of the signature at a time. The
// signature must be verified by [Signature.Verify], too.
func (s *Signers) Find(sig *Signature, at time.Time) (person string, err error) {
	why := fmt.Errorf("no line has the key %s", sig.Key)
	for i := range s.lines {
		l := &s.lines[i]
		name, fits := l.signs(sig.Key, at)
		switch {
		case !fits:
			continue
		case name == "":
			why = fmt.Errorf("line %d has the key %s and names no person, or its certificate is not valid now", l.number, sig.Key)
		case ofSite(name) && ofPerson(sig.Namespace):
			why = fmt.Errorf("line %d gives the role %q to %s, which is a site and no person", l.number, sig.Namespace, name)
		case l.namespaces != "" && !matchesList(sig.Namespace, l.namespaces):
			why = fmt.Errorf("line %d does not allow %s to sign for %q", l.number, name, sig.Namespace)
		case !l.after.IsZero() && at.Before(l.after), !l.before.IsZero() && !at.Before(l.before):
			why = fmt.Errorf("line %d does not allow the key of %s at this time", l.number, name)
		default:
			return name, nil
		}
	}
	return "", why
}

// ofSite reports whether a name is one of a site. Case does not make another person, so it makes no person of a site.
func ofSite(name string) bool {
	return len(name) >= len(SitePrefix) && strings.EqualFold(name[:len(SitePrefix)], SitePrefix)
}

// signs reports whether a key is the one of the line, or has a certificate of its authority. It returns the name of the person: for a key
// the first principal of the line, for a certificate the first of its principals that the line allows.
func (s *signer) signs(k *PublicKey, at time.Time) (person string, fits bool) {
	switch {
	case s.authority:
		if k.cert == nil || !k.cert.authority.equal(s.key) {
			return "", false
		}
		for _, p := range k.cert.principals {
			if k.cert.valid(at) && matchesList(p, s.principals) {
				return p, true
			}
		}
		return "", true
	case k.cert != nil || !k.equal(s.key):
		return "", false
	}
	first, _, _ := strings.Cut(s.principals, ",")
	if strings.ContainsAny(first, "*?!") || !matchesList(first, s.principals) {
		return "", true
	}
	return first, true
}

// matchesList reports whether a name matches a list of patterns with * and ?, and none of those with ! in front.
func matchesList(name, list string) bool {
	ok := false
	for pattern := range strings.SplitSeq(list, ",") {
		bare, not := strings.CutPrefix(pattern, "!")
		if !matches(name, bare) {
			continue
		}
		if not {
			return false
		}
		ok = true
	}
	return ok
}

// matches reports whether a name matches a pattern, in which * matches any text and ? one byte.
func matches(name, pattern string) bool {
	at, star, from := 0, -1, 0 // in the pattern; of the last *, and where its text ends
	for i := 0; i < len(name); {
		switch {
		case at < len(pattern) && pattern[at] == '*':
			star, from = at, i
			at++
		case at < len(pattern) && (pattern[at] == '?' || pattern[at] == name[i]):
			at++
			i++
		case star >= 0:
			from++
			at, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "*") == ""
}
