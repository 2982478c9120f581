package ssh_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// TestHostKeys: a server on its own port has an RSA, an ECDSA and an Ed25519 key. The table has the expected result for each content of
// known_hosts.
func TestHostKeys(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa", "ecdsa", "ed25519"}})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	strangerECDSA := sshdtest.NewKey(t, "ecdsa", "")
	ca := sshdtest.NewKey(t, "ed25519", "")
	certified := sshdtest.Start(t, sshdtest.Options{HostCA: ca, HostKeys: []string{"ecdsa"}})
	elsewhere := sshdtest.Start(t, sshdtest.Options{HostCA: ca, Principal: "spine01"})
	at := "[127.0.0.1]:" + strconv.Itoa(s.Port) + " "

	hashed := func(t *testing.T, line string) string {
		file := filepath.Join(home(t, map[string]string{"k": line}), ".ssh", "k")
		require.NoError(t, exec.Command(machinetest.Need(t, "ssh-keygen"), "-q", "-H", "-f", file).Run())
		return string(read(t, file))
	}

	for _, c := range []struct {
		name   string
		server *sshdtest.Server
		known  string
		says   []string // nil: the connection succeeds
		alarm  bool     // the server is known, and shows another key
	}{
		{"ed25519 only", s, s.KnownHostsLine("ed25519"), nil, false},
		{"ecdsa only", s, s.KnownHostsLine("ecdsa"), nil, false},
		{"rsa only", s, s.KnownHostsLine("rsa"), nil, false},
		{"hashed ed25519", s, hashed(t, s.KnownHostsLine("ed25519")), nil, false},
		{"hashed rsa", s, hashed(t, s.KnownHostsLine("rsa")), nil, false},
		{"wildcard without port", s, "* " + s.HostKeys["rsa"].Public + "\n", nil, false},
		{"comments and blank lines", s, "# old\n\n" + s.KnownHostsLine("ed25519") + "\n", nil, false},
		{"one right among wrong", s, at + stranger.Public + "\n" + s.KnownHostsLine("ed25519"), nil, false},

		{"empty file", s, "", []string{"is not known", s.HostKeys["ed25519"].Fingerprint, "log in once with `ssh -p", "host_key = "}, false},
		{"other host", s, "192.0.2.1 " + s.HostKeys["ed25519"].Public + "\n", []string{"is not known"}, false},
		{"host without port", s, "127.0.0.1 " + s.HostKeys["ed25519"].Public + "\n", []string{"is not known"}, false},
		{
			"wrong key", s, "# a\n" + at + stranger.Public + "\n",
			[]string{"has changed", "known_hosts:2", stranger.Fingerprint, s.HostKeys["ed25519"].Fingerprint, "ssh-keygen -R '[127.0.0.1]:"},
			true,
		},
		{
			"wrong key of a type", s, at + strangerECDSA.Public + "\n",
			[]string{"has changed", strangerECDSA.Fingerprint, s.HostKeys["ecdsa"].Fingerprint},
			true,
		},
		{
			"revoked", s, "@revoked * " + s.HostKeys["ed25519"].Public + "\n" + s.KnownHostsLine("ed25519"),
			[]string{"is revoked by", "known_hosts:1", s.HostKeys["ed25519"].Fingerprint},
			true,
		},

		{"authority", certified, "@cert-authority * " + ca.Public + "\n", nil, false},
		{"key of a server with a certificate", certified, certified.KnownHostsLine("ecdsa"), nil, false},
		{"unknown server with a certificate", certified, "", []string{"is not known", certified.HostKeys["ecdsa"].Fingerprint}, false},
		{"authority of others", certified, "@cert-authority * " + stranger.Public + "\n", []string{"is not valid"}, true},
		{"certificate for another host", elsewhere, "@cert-authority * " + ca.Public + "\n", []string{"is not valid"}, true},
		{
			"authority, server without certificate", s, "@cert-authority * " + ca.Public + "\n",
			[]string{"has changed", "the certificate authority", ca.Fingerprint},
			true,
		},
		{
			"authority revoked", certified, "@revoked * " + ca.Public + "\n@cert-authority * " + ca.Public + "\n",
			[]string{"is revoked by", "known_hosts:1"},
			true,
		},
		{
			"authority shown as a host key", s, "@cert-authority * " + s.HostKeys["ed25519"].Public + "\n",
			[]string{"has changed", "the certificate authority"},
			true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := ssh.Config{User: c.server.User, Keys: [][]byte{c.server.ClientKey.PEM}, Home: home(t, map[string]string{"known_hosts": c.known})}
			if c.says == nil {
				assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg), device(c.server)), "echo hello"))
				return
			}
			_, err := newDialer(t, cfg).Dial(t.Context(), device(c.server))
			unproved, ok := errors.AsType[*target.HostKeyError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, c.alarm, unproved.Alarm)
			assert.Equal(t, c.alarm, errors.Is(err, ssh.ErrHostKeyAlarm))
			text := refused(t, cfg, device(c.server), ssh.ErrHostKey)
			for _, s := range c.says {
				assert.Contains(t, text, s)
			}
		})
	}
}

// TestPin: host_key of the ssh block decides, for any content of known_hosts and any type of the key.
func TestPin(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{"rsa", "ecdsa", "ed25519"}})
	stranger := sshdtest.NewKey(t, "ed25519", "")
	cfg := func(known string) ssh.Config {
		return ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}, Home: home(t, map[string]string{"known_hosts": known})}
	}
	at := "[127.0.0.1]:" + strconv.Itoa(s.Port) + " "
	dev := device(s)
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		dev.Login.HostKey = s.HostKeys[kind].Fingerprint
		for _, known := range []string{"", at + stranger.Public + "\n"} {
			assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg(known)), dev), "echo hello"), kind)
		}
	}

	dev.Login.HostKey = s.HostKeys["rsa"].Fingerprint
	assert.Contains(t, refused(t, cfg("@revoked * "+s.HostKeys["rsa"].Public+"\n"), dev, ssh.ErrHostKey), "is revoked by")

	dev.Login.HostKey = stranger.Fingerprint
	text := refused(t, cfg(s.KnownHostsLine("ed25519")), dev, ssh.ErrHostKey)
	assert.Contains(t, text, "asks for "+stranger.Fingerprint)
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		assert.Contains(t, text, s.HostKeys[kind].Fingerprint)
	}

	for _, pin := range []string{"SHA256:abc", "MD5:00:11", "sha256:" + stranger.Fingerprint[7:], stranger.Fingerprint + "="} {
		dev.Login.HostKey = pin
		assert.Contains(t, refused(t, cfg(""), dev, ssh.ErrConfig), "is not a fingerprint", pin)
	}
}

// TestNoWayAround: ssh_config cannot turn the check of host keys off.
func TestNoWayAround(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}, Home: home(t, map[string]string{
		"config": "Host *\n StrictHostKeyChecking no\n UserKnownHostsFile /dev/null\n",
	})}
	assert.Contains(t, refused(t, cfg, device(s), ssh.ErrHostKey), "is not known")
}

// TestBadKnownHosts: an unreadable line for a device refuses that device; a line for another host does not. An unreadable file refuses
// all devices.
func TestBadKnownHosts(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	at := "[127.0.0.1]:" + strconv.Itoa(s.Port) + " "
	var notes []string
	cfg := func(known string) ssh.Config {
		notes = nil
		return ssh.Config{
			User: s.User, Keys: [][]byte{s.ClientKey.PEM}, Home: home(t, map[string]string{"known_hosts": known}),
			Note: func(text string) { notes = append(notes, text) },
		}
	}
	dial(t, newDialer(t, cfg("leaf01 ssh-rsa AAAA\x1b\n"+s.KnownHostsLine("ed25519"))), device(s))
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], "known_hosts:1: the line is skipped: the key is not in base64")

	text := refused(t, cfg(s.KnownHostsLine("ed25519")+at+"ssh-rsa AAAA\x1b\n"), device(s), ssh.ErrConfig)
	assert.Contains(t, text, "known_hosts:2: the key is not in base64; fix or delete that line")
	assert.NotContains(t, text, "\x1b")

	folder := cfg("")
	require.NoError(t, os.Remove(filepath.Join(folder.Home, ".ssh", "known_hosts")))
	require.NoError(t, os.Mkdir(filepath.Join(folder.Home, ".ssh", "known_hosts"), 0o700))
	assert.Contains(t, refused(t, folder, device(s), ssh.ErrConfig), "is a directory")
}

// TestRevokedHostKeys: the file that ssh_config names is obeyed, with and without a pin. The file must exist.
func TestRevokedHostKeys(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	for _, pin := range []string{"", s.HostKeyPin()} {
		dev := device(s)
		dev.Login.HostKey = pin
		files := map[string]string{"config": "RevokedHostKeys ~/.ssh/revoked\n", "known_hosts": s.KnownHostsLine("ed25519"), "revoked": ""}
		cfg := ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}, Home: home(t, files)}
		dial(t, newDialer(t, cfg), dev)
		put(t, cfg.Home, "revoked", "# stolen\n"+s.HostKeys["ed25519"].Public+"\n")
		assert.Contains(t, refused(t, cfg, dev, ssh.ErrHostKey), "is revoked by "+cfg.Home+"/.ssh/revoked:2")
		require.NoError(t, os.Remove(filepath.Join(cfg.Home, ".ssh", "revoked")))
		assert.Contains(t, refused(t, cfg, dev, ssh.ErrConfig), "revoked: no such file")
	}
}

// TestHostKeyAlias: known_hosts is searched for the alias, without a port.
func TestHostKeyAlias(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	cfg := ssh.Config{User: s.User, Keys: [][]byte{s.ClientKey.PEM}, Home: home(t, map[string]string{
		"config":   "HostKeyAlias rack1\nUserKnownHostsFile ~/.ssh/by_%k\n",
		"by_rack1": "rack1 " + s.HostKeys["ed25519"].Public + "\n",
	})}
	dial(t, newDialer(t, cfg), device(s))
}
