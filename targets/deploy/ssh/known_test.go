package ssh

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
)

// Public keys for lines of known_hosts, including a well-formed key of a future type.
const (
	keyA = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP1pmmnRehd1efFX3DPqddfc7/IIAcAevfnE09KW9hi7"
	keyB = "ecdsa-sha2-nistp256 " +
		"AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBN6BsDu0O+0O2zy0J5HiR45ufYj3c2glX5Q2gMm+Bq5BOogPxII7IP1fh4cTLY3/RUFjY94ttHiDezjOcMh4V5I="
	keyFuture = "ssh-tomorrow AAAADHNzaC10b21vcnJvdwAAAANhYmM="
)

func parsed(text string) (*knownFile, []string) {
	f := new(knownFile)
	notes := f.parse("known_hosts", []byte(text))
	return f, notes
}

// TestOddLines: the effect of an unreadable line on its own hosts and on others.
func TestOddLines(t *testing.T) {
	good := testKeys(t)[0]
	for _, c := range []struct {
		name, line string
		note       string // text in the note; empty: no note
		refused    bool   // leaf01 is refused
	}{
		{"key of a type of tomorrow", "leaf01 " + keyFuture, "keys of type ssh-tomorrow are not known", false},
		{"version 1", "leaf01 1024 35 123456789", "a key of SSH version 1", false},
		{"comment", "# leaf01 junk", "", false},
		{"blank", " \t ", "", false},

		{"no key", "leaf01", "it has no key", true},
		{"no key after its type", "leaf01 ssh-ed25519", "it has no key", true},
		{"no base64", "leaf01 ssh-rsa AAAA\x1b", "the key is not in base64", true},
		{"cut off", "leaf01 " + good[:len(good)-8], "the key cannot be read", true},
		{"another type", "leaf01 ssh-rsa " + strings.Fields(good)[1], "not of the type ssh-rsa", true},
		{"unknown marker", "@trusted leaf01 " + good, `"@trusted" is not a marker`, true},
		{"marker twice", "@revoked @revoked leaf01 " + good, `"@revoked @revoked" is not a marker`, true},
		{"broken revocation", "@revoked leaf01 ssh-ed25519 AAAA", "not of the type", true},
		{"broken among patterns", "!leaf02,leaf* ssh-ed25519 AAAA", "not of the type", true},
		{"broken for all", "* ssh-ed25519 AAAA", "not of the type", true},
		{"broken, not of this port", "[leaf01]:2222 ssh-ed25519 AAAA", "not of the type", false},
		{"broken, in other letters", "LEAF01 ssh-ed25519 AAAA", "not of the type", true},
		{"broken and hashed", "|1|" + hashOf(t, "leaf01") + " ssh-ed25519 AAAA", "not of the type", true},
		{"broken, hash of another", "|1|" + hashOf(t, "leaf02") + " ssh-ed25519 AAAA", "not of the type", false},
		{"hash that is none", "|1|abc " + good, "of the form |1|SALT|HASH", false},
		{"hash of tomorrow", "|2|YWJj|YWJj " + good, "of the form |1|SALT|HASH", false},
		{"hash without base64", "|1|a|b " + good, "not in base64", false},
		{"marker alone", "@revoked", "@revoked names no host", false},
		{"binary", "\x00\x01\x02 \xff\xfe", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "# first\n" + c.line + "\nleaf01 " + good + "\nspine01 " + good + "\n"
			home := t.TempDir()
			file := filepath.Join(home, "known_hosts")
			require.NoError(t, writeFile(file, text))
			var notes []string
			known := newKnownFiles(func(s string) { notes = append(notes, s) })
			for range 2 { // the second read has no note
				_, err := known.find([]string{file}, nil, "spine01:22")
				if strings.HasPrefix(c.line, "* ") {
					require.Error(t, err)
				} else {
					require.NoError(t, err, "another host")
				}
				_, err = known.find([]string{file}, nil, "leaf01:22")
				if c.refused {
					require.ErrorContains(t, err, file+":2: ")
				} else {
					require.NoError(t, err)
				}
			}
			if c.note == "" && c.name != "binary" {
				assert.Empty(t, notes)
				return
			}
			require.Len(t, notes, 1)
			assert.True(t, strings.HasPrefix(notes[0], file+":2: the line is skipped: "), notes[0])
			assert.Contains(t, notes[0], c.note)
			assert.NotContains(t, notes[0], "\x1b")
		})
	}
}

func TestKnownPorts(t *testing.T) {
	good := testKeys(t)
	file := filepath.Join(t.TempDir(), "k")
	require.NoError(t, writeFile(file, "*.lab "+good[0]+"\n[a.lab]:2222 "+good[1]+"\nb.lab "+good[1]+"\n[*.lab]:99 "+good[1]+"\n"))
	for lookup, lines := range map[string][]int{
		"a.lab:22": {1}, "a.lab:2222": {2}, "c.lab:2222": {1}, "b.lab:22": {1, 3}, "b.lab:2222": {1}, "b.lab:99": {4}, "a.example:22": nil,
	} {
		known, err := newKnownFiles(nil).find([]string{file}, nil, lookup)
		require.NoError(t, err)
		var got []int
		for _, l := range known.lines {
			got = append(got, l.at.line)
		}
		assert.Equal(t, lines, got, lookup)
	}
}

func TestRevokedFile(t *testing.T) {
	dir := t.TempDir()
	good := testKeys(t)
	pub, _, _, _, err := ssh.ParseAuthorizedKey([]byte(good[0]))
	require.NoError(t, err)
	for text, says := range map[string]string{
		"# none\n\n" + good[0] + " comment\n": "",
		"SSHKRL\n\x00":                        "is a key revocation list in binary form",
		"\nssh-ed25519\n":                     "revoked:2: this is not a public key",
		"ssh-ed25519 %\n":                     "revoked:1: this is not a public key",
	} {
		file := filepath.Join(dir, strconv.Itoa(len(text)), "revoked")
		require.NoError(t, writeFile(file, text))
		known, err := newKnownFiles(nil).find(nil, []string{file}, "a:22")
		if says != "" {
			require.ErrorContains(t, err, says)
			continue
		}
		require.NoError(t, err)
		at, ok := known.revokedAt(pub)
		assert.True(t, ok)
		assert.Equal(t, place{file, 3}, at)
	}
	_, err = newKnownFiles(nil).find(nil, []string{filepath.Join(dir, "gone")}, "a:22")
	require.ErrorContains(t, err, "no such file")
}

// TestAgainstSSHKeygen: rocec finds the same lines for a host as `ssh-keygen -F`.
func TestAgainstSSHKeygen(t *testing.T) {
	if testing.Short() {
		t.Skip("make check does not start ssh-keygen hundreds of times; make test does")
	}
	keygen := machinetest.Need(t, "ssh-keygen")
	good := testKeys(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "known_hosts")
	names := []string{"leaf01", "leaf02", "LEAF01", "a.lab", "[leaf01]:2222", "[a.lab]:22", "192.0.2.1", "fe80::1", "[fe80::1]:2222"}
	pattern := rapid.SampledFrom(append(names, "*", "leaf*", "?eaf01", "*.lab", "!leaf02", "!*1", "[*]:2222", "leaf0[1]", "*:*", "l*f*1", ""))
	odd := rapid.SampledFrom([]string{"# x\n", "\n", "leaf01 1024 35 99\n", "leaf01 " + keyFuture + "\n", "x y z\n", "leaf01\n"})
	asked := rapid.SampledFrom([]string{
		"leaf01", "leaf02", "a.lab", "[leaf01]:2222", "[a.lab]:2222", "192.0.2.1", "fe80::1",
		"[fe80::1]:2222",
	})
	hashed := rapid.SampledFrom([]string{"leaf01", "[leaf01]:2222", "fe80::1"})
	mark := rapid.SampledFrom([]string{"", "", "", "@cert-authority ", "@revoked\t"})
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 8).Draw(rt, "lines") {
			switch rapid.IntRange(0, 9).Draw(rt, "kind") {
			case 0:
				fmt.Fprintf(&text, "|1|%s %s\n", hashOf(t, hashed.Draw(rt, "hashed")), good[0])
			case 1:
				text.WriteString(odd.Draw(rt, "odd"))
			default:
				hosts := strings.Join(rapid.SliceOfN(pattern, 1, 3).Draw(rt, "hosts"), ",")
				fmt.Fprintf(&text, "%s%s %s comment\n", mark.Draw(rt, "mark"), hosts, rapid.SampledFrom(good).Draw(rt, "key"))
			}
		}
		require.NoError(rt, writeFile(file, text.String()))
		host := asked.Draw(rt, "host")
		out, err := exec.Command(keygen, "-F", host, "-f", file).Output()
		if _, none := err.(*exec.ExitError); err != nil && !none {
			rt.Fatal(err)
		}
		var want, got []string
		for line := range strings.Lines(string(out)) {
			if _, at, ok := strings.Cut(line, " found: line "); ok && !strings.Contains(at, "REVOKED") {
				want = append(want, strings.Fields(at)[0])
			}
		}
		f, _ := parsed(text.String())
		for _, line := range f.find(host) {
			if line.key != nil {
				got = append(got, strconv.Itoa(line.at.line))
			}
		}
		if strings.Join(want, " ") != strings.Join(got, " ") {
			rt.Fatalf("%s in\n%s\nssh-keygen finds lines %v, we %v", host, text.String(), want, got)
		}
	})
}

// FuzzKnownHosts: a good line stays valid whatever text is before or after it, unless that text names the host of the line.
func FuzzKnownHosts(f *testing.F) {
	for _, s := range []string{
		"", "leaf01 " + keyA, "@revoked * " + keyB, "@cert-authority *.x,!y " + keyA, "|1|YWJj|YWJj " + keyFuture, "a", "@x", "* b c", "|",
		"\x00",
		strings.Repeat("a,", 40000) + " ssh-rsa AAAA",
	} {
		f.Add([]byte(s))
	}
	pub, _, _, _, err := ssh.ParseAuthorizedKey([]byte(keyA))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		const host = "zz-the-host-asked-for"
		file, notes := parsed(string(text) + "\n" + host + " " + keyA + "\n" + string(text))
		for _, n := range notes {
			if !strings.HasPrefix(n, "known_hosts:") {
				t.Errorf("no place: %q", n)
			}
		}
		found := 0
		for _, line := range file.find(host) {
			if line.hosts == host && line.key != nil && bytes.Equal(line.key.Marshal(), pub.Marshal()) {
				found++
			}
			if !line.names(host) {
				t.Errorf("%q does not name %s", line.hosts, host)
			}
		}
		if found == 0 {
			t.Error("the good line is lost")
		}
	})
}

// testKeys are public keys of three types.
func testKeys(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		all = append(all, sshdtest.NewKey(t, kind, "").Public)
	}
	return all
}

var hashes sync.Map

// hashOf returns "SALT|HASH" of a name, as ssh-keygen -H makes it.
func hashOf(t *testing.T, name string) string {
	t.Helper()
	if h, ok := hashes.Load(name); ok {
		return h.(string)
	}
	file := filepath.Join(t.TempDir(), "k")
	require.NoError(t, writeFile(file, name+" "+keyA+"\n"))
	require.NoError(t, exec.Command(machinetest.Need(t, "ssh-keygen"), "-q", "-H", "-f", file).Run())
	data, err := readLimited(file, 1<<20)
	require.NoError(t, err)
	h := strings.TrimPrefix(strings.Fields(string(data))[0], "|1|")
	hashes.Store(name, h)
	return h
}
