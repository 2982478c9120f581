package ssh

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// This file gets the host key of a device that the ssh program logs in to. The stderr of ssh is not a trusted source, because the device
// and every jump host write to it, too. ssh passes the key to its KnownHostsCommand before it accepts the key. It goes on only if the
// server proves that it has the private key.

// hostKeyScript is the KnownHostsCommand of every login. It records the key that a server shows. With a pin, it prints the key as a known
// one if the fingerprint equals the pin. Without a pin, it executes the KnownHostsCommand of the person's own configuration, if any.
const hostKeyScript = `# $1: file of what was seen, $2: what is asked, $3: type of the key, $4: the key
# $5: pinned fingerprint, or none; then a command
[ "$2" != HOSTNAME ] || printf '%s %s\n' "$3" "$4" >>"$1"
if [ "$5" = none ]; then
	shift 5
	[ $# = 0 ] || exec "$@"
	exit 0
fi
[ "$2" = HOSTNAME ] || exit 0
print=$(printf '%s %s\n' "$3" "$4" | ssh-keygen -lf -) || exit 0
print=${print#* }
print=${print%% *}
[ "$print" != "$5" ] || printf '* %s %s\n' "$3" "$4"
`

// shownKey is a host key that a server showed to the ssh program.
type shownKey struct {
	kind, print string
	short       string // see short
	cert        bool   // the key was in a certificate
}

// String returns the key in the notation of describe.
func (k shownKey) String() string { return k.kind + " " + k.print }

// shown returns the host keys that the server has shown so far.
func (m *master) shown() (list []shownKey) {
	text, _ := os.ReadFile(m.socket + ".shown") // no key before the first call of the script
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 2 || !strings.HasSuffix(line, "\n") {
			continue
		}
		wire, err := base64.StdEncoding.DecodeString(fields[1])
		if err != nil {
			continue
		}
		key := shownKey{kind: fields[0]}
		if read, err := ssh.ParsePublicKey(wire); err == nil {
			key.kind, key.print = plain(read).Type(), ssh.FingerprintSHA256(plain(read))
			key.short, key.cert = short(read), isCert(read.Type())
		}
		list = append(list, key)
	}
	return list
}

// proved returns the fingerprint of the host key of a logged-in master; empty: its ssh does not report the key. It is the key that was
// shown last, because ssh ends if the server cannot prove it.
func (m *master) proved(d *Dialer, l *login) (string, error) {
	if !d.room.tells {
		return "", nil
	}
	shown := m.shown()
	if len(shown) == 0 || shown[len(shown)-1].print == "" {
		return "", failure(ErrHostKey, nil, "ssh logged in to %s and did not report the host key; rocec does not go on", l)
	}
	key := shown[len(shown)-1]
	if key.short != "" && !d.room.sizes { // otherwise the configuration of ssh decides, see docs/ssh.md
		return "", shortKey(l, key.String(), key.short, key.cert)
	}
	return key.print, nil
}

// hostKeys returns the options by which ssh reports the host key.
func (m *master) hostKeys(ctx context.Context, d *Dialer, l *login) ([]string, error) {
	script := filepath.Join(filepath.Dir(m.socket), roomHostKey)
	command := fmt.Sprintf("KnownHostsCommand=/bin/sh %s %s.shown %%I %%t %%K ", script, m.socket)
	if l.pin != "" {
		return m.pin(d, l, command)
	}
	if !d.room.tells {
		return nil, nil
	}
	command += "none"
	if d.rules.mention("knownhostscommand") {
		own, err := d.knownHostsCommand(ctx, l)
		if err != nil {
			return nil, err
		}
		command += own
	}
	return []string{"-o", command}, nil
}

// knownHostsCommand returns the KnownHostsCommand that the person's configuration has for a device, after a space; empty: none.
func (d *Dialer) knownHostsCommand(ctx context.Context, l *login) (string, error) {
	set, err := askSSH(ctx, d, l, wayTo(l), l.name)
	if own := set.one("knownhostscommand"); own != "" {
		return " " + own, err
	}
	return "", err
}

// sshSettings are the settings that the ssh program has for a server, by their names in lower case.
type sshSettings map[string][]string

// one returns the first value of a setting; empty: the setting has no value, or the value none.
func (s sshSettings) one(key string) string {
	if list := s[key]; len(list) > 0 && !strings.EqualFold(strings.TrimSpace(list[0]), "none") {
		return list[0]
	}
	return ""
}

// askSSH returns the settings that the ssh program has for a server, with the options args. l is the device for which it is asked.
func askSSH(ctx context.Context, d *Dialer, l *login, args []string, name string) (sshSettings, error) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.ConnectTimeout)
	defer cancel()
	args = append([]string{"-F", filepath.Join(d.room.dir, roomConfig), "-G"}, args...)
	cmd := exec.CommandContext(ctx, d.cfg.OpenSSH, append(args, "--", name)...)
	cmd.Env = d.environ()
	var stderr bytes.Buffer // its lines may be those of a program that ssh_config names, and are no settings
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		text := stderr.Bytes()
		return nil, toldBySSH(l, string(text[max(0, len(text)-maxStderr):]), err)
	}
	set := sshSettings{}
	for line := range strings.Lines(string(out)) {
		if key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), " "); ok {
			set[key] = append(set[key], value)
		}
	}
	return set, nil
}

// pin returns the options by which ssh accepts only one host key. It ignores known_hosts, except for the revoked keys there.
func (m *master) pin(d *Dialer, l *login, command string) ([]string, error) {
	check, err := d.known.checker(l)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, list := range check.known.revoked {
		for wire := range list {
			if key, err := ssh.ParsePublicKey([]byte(wire)); err == nil {
				fmt.Fprintf(&text, "%s * %s %s\n", markRevoked, key.Type(), base64.StdEncoding.EncodeToString([]byte(wire)))
			}
		}
	}
	if err := os.WriteFile(m.socket+".revoked", text.Bytes(), 0o600); err != nil {
		return nil, failure(ErrConfig, err, "%v", err)
	}
	return []string{
		"-o", command + l.pin, "-o", "UserKnownHostsFile=" + m.socket + ".revoked", "-o", "GlobalKnownHostsFile=none",
	}, nil
}

// hostKeysBut returns the option that requests host keys without certificates, of other types than the shown keys.
func hostKeysBut(shown []shownKey) string {
	var list strings.Builder
	list.WriteString("-*-cert-v0*")
	for _, key := range shown {
		list.WriteString("," + key.kind)
		if key.kind == ssh.KeyAlgoRSA {
			list.WriteString(",rsa-sha2-*")
		}
	}
	return list.String()
}

// mention reports whether a line of the files or of included files has a key, for any host.
func (r *rules) mention(key string) bool {
	return slices.ContainsFunc(r.files, func(f file) bool { return f.mentions(key) })
}

func (f file) mentions(key string) bool {
	return slices.ContainsFunc(f, func(d directive) bool {
		return d.key == key || slices.ContainsFunc(d.files, func(f file) bool { return f.mentions(key) })
	})
}
