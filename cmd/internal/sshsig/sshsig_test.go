package sshsig

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
)

const (
	namespace = "rocec-approve"
	message   = "a plan\n"
)

// key makes a key with ssh-keygen, and returns the path of its private half.
func key(t *testing.T, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "key")
	keygen(t, "", append([]string{"-q", "-N", "", "-C", "", "-f", name}, args...)...)
	return name
}

func keygen(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("ssh-keygen", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s", said.String())
	return string(out)
}

// sign signs a message as a person does.
func sign(t *testing.T, key, in, message string) []byte {
	t.Helper()
	return []byte(keygen(t, message, "-q", "-Y", "sign", "-n", in, "-f", key))
}

func public(t *testing.T, key string) string {
	t.Helper()
	text, err := os.ReadFile(key + ".pub")
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// sshKeygenSays returns the verdict of ssh-keygen, with which these tests compare.
func sshKeygenSays(t *testing.T, signers, person, in, message string, signature []byte) bool {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string][]byte{"signers": []byte(signers), "sig": signature} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", filepath.Join(dir, "signers"), "-I", person, "-n", in,
		"-s", filepath.Join(dir, "sig"))
	cmd.Stdin = strings.NewReader(message)
	return cmd.Run() == nil
}

// weSay returns the verdict of this package.
func weSay(signers, person, in, message string, signature []byte) bool {
	all, err := ParseSigners([]byte(signers))
	if err != nil {
		return false
	}
	s, err := Parse(signature)
	if err != nil || s.Verify([]byte(message), in) != nil {
		return false
	}
	who, err := all.Find(s, time.Now())
	return err == nil && who == person
}

// TestAsSSHKeygen compares each verdict with the verdict of ssh-keygen, for every type of key. Some lines allow the signature and some do
// not. In some cases the message, the namespace or the person differs.
func TestAsSSHKeygen(t *testing.T) {
	ca := key(t, "-t", "ed25519")
	certified := key(t, "-t", "ecdsa")
	keygen(t, "", "-q", "-s", ca, "-I", "alice's", "-n", "alice,al", "-V", "-1h:+1h", certified+".pub")
	over := key(t, "-t", "ed25519")
	keygen(t, "", "-q", "-s", ca, "-I", "over", "-n", "alice", "-V", "-2h:-1h", over+".pub")
	keys := map[string]string{ // private halves or certificates by type
		"ed25519": key(t, "-t", "ed25519"), "ecdsa 256": key(t, "-t", "ecdsa", "-b", "256"), "ecdsa 384": key(t, "-t", "ecdsa", "-b", "384"),
		"ecdsa 521": key(t, "-t", "ecdsa", "-b", "521"), "rsa": key(t, "-t", "rsa", "-b", "2048"),
		"certificate": certified + "-cert.pub", "certificate that is over": over + "-cert.pub",
	}
	verdicts := map[bool]int{}
	for kind, name := range keys {
		good := sign(t, name, namespace, message)
		line, authority := public(t, strings.TrimSuffix(name, "-cert.pub")), public(t, ca)
		for _, signers := range []string{
			"alice " + line, "# the team\n\nbob " + line, `alice namespaces="git,rocec-*" ` + line,
			`alice namespaces="rocec-*,!rocec-approve" ` + line,
			`alice namespaces="file" ` + line, `alice valid-before="20200101" ` + line, `alice valid-after="20200101Z" ` + line,
			`alice valid-after="29990101",namespaces="rocec-approve" ` + line, `"alice,al" ` + line + " alice's key",
			"alice cert-authority " + authority, `al* cert-authority,namespaces="rocec-approve" ` + authority, "bob cert-authority " + authority,
			"alice cert-authority " + line, "alice " + authority, "", "alice nonsense=1 " + line, `alice namespaces="" ` + line,
			"alice namespaces " + line, "alice namespaces= " + line, `alice namespaces="rocec-plan",namespaces="*" ` + line,
			`alice valid-before="20200101",valid-before="20990101" ` + line, "alice namespaces=rocec-approve " + line,
			`alice namespaces="rocec-approve", ` + line, "alice,!alice " + line, "alice cert-authority=no " + authority,
		} {
			for _, c := range []struct{ person, in, message string }{
				{"alice", namespace, message}, {"bob", namespace, message}, {"alice", "rocec-apply", message}, {"alice", namespace, message + " "},
			} {
				want := sshKeygenSays(t, signers, c.person, c.in, c.message, good)
				require.Equal(t, want, weSay(signers, c.person, c.in, c.message, good), "%s, %q, %q", kind, signers, c)
				verdicts[want]++
			}
		}
	}
	require.Greater(t, verdicts[true], 20)
	require.Greater(t, verdicts[false], 100)
}

// TestChanged changes each byte of a signature, and no such signature fits.
func TestChanged(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		name := key(t, "-t", kind)
		good := sign(t, name, namespace, message)
		signers := "alice " + public(t, name)
		require.True(t, weSay(signers, "alice", namespace, message, good))
		text := string(good)
		body := strings.Join(strings.Fields(text[strings.Index(text, "\n"):strings.LastIndex(strings.TrimSpace(text), "\n")]), "")
		data, err := base64.StdEncoding.DecodeString(body)
		require.NoError(t, err)
		for i := range data {
			changed := bytes.Clone(data)
			changed[i] ^= 1
			require.False(t, weSay(signers, "alice", namespace, message, armor(changed)), "%s: byte %d", kind, i)
			require.False(t, weSay(signers, "alice", namespace, message, armor(data[:i])), "%s: cut at %d", kind, i)
		}
		require.False(t, weSay(signers, "alice", namespace, message, armor(append(bytes.Clone(data), 0))))
	}
}

func armor(data []byte) []byte {
	return []byte(begin + "\n" + base64.StdEncoding.EncodeToString(data) + "\n" + end + "\n")
}

// TestToken: rocec accepts a token's signature only if a person touched the token. ssh-keygen also accepts it without a touch.
func TestToken(t *testing.T) {
	k := sshsigtest.NewToken(bytes.Repeat([]byte{1}, 32))
	signers := "alice " + k.Line()
	for _, flags := range []byte{touched, touched | verified, 0} {
		sig := k.Sign(namespace, []byte(message), flags)
		require.True(t, sshKeygenSays(t, signers, "alice", namespace, message, sig))
		require.Equal(t, flags != 0, weSay(signers, "alice", namespace, message, sig), "flags %d", flags)
	}
}

// TestRefused: the error names the line and the mistake in a file of signers.
func TestRefused(t *testing.T) {
	line := public(t, key(t, "-t", "ed25519"))
	short := "ssh-rsa " + base64.StdEncoding.EncodeToString(appendText(appendText(appendText(nil, []byte("ssh-rsa")), []byte{1, 0, 1}),
		bytes.Repeat([]byte{0x7f}, 128)))
	for text, want := range map[string]string{
		"alice":                                     "line 1: a line is PRINCIPALS [OPTIONS] KEYTYPE KEY",
		"\nalice sudo " + line:                      `line 2: the option "sudo" is unknown, or has no value in quotes`,
		`alice valid-before="tomorrow" ` + line:     `line 1: valid-before: "tomorrow" is no time of the form YYYYMMDD[HHMM[SS]][Z]`,
		"alice ssh-ed25519":                         "line 1: the key is missing: a line is PRINCIPALS [OPTIONS] KEYTYPE KEY",
		"alice ssh-ed25519 !!":                      "line 1: the base64 of the key is damaged",
		"alice " + short:                            "line 1: the RSA key has fewer than 2048 bits, or is damaged",
		"alice ssh-rsa" + line[len("ssh-ed25519"):]: `line 1: the key is one of type "ssh-ed25519", not "ssh-rsa"`,
		`"alice ` + line:                            "line 1: a quote has no end",
	} {
		_, err := ParseSigners([]byte(text))
		require.EqualError(t, err, want, "%q", text)
	}
}

// TestWhy: the error states why a signer is not accepted.
func TestWhy(t *testing.T) {
	name := key(t, "-t", "ed25519")
	sig, err := Parse(sign(t, name, namespace, message))
	require.NoError(t, err)
	for text, want := range map[string]string{
		"": "no line has the key " + sig.Key.String(),
		"# team\nalice namespaces=\"rocec-plan\" " + public(t, name): `line 2 does not allow alice to sign for "rocec-approve"`,
		"alice valid-before=\"20200101\" " + public(t, name):         "line 1 does not allow the key of alice at this time",
		"*@bank " + public(t, name): "line 1 has the key " + sig.Key.String() +
			" and names no person, or its certificate is not valid now",
	} {
		signers, err := ParseSigners([]byte(text))
		require.NoError(t, err)
		_, err = signers.Find(sig, time.Now())
		require.EqualError(t, err, want)
	}
	require.EqualError(t, sig.Verify([]byte(message), "git"), `it is a signature for "rocec-approve", not for "git"`)
}

// FuzzParse reads any text: a signature or a file of signers from a stranger never causes a panic, and never fits.
func FuzzParse(f *testing.F) {
	f.Add([]byte(begin+"\nU1NIU0lH\n"+end), "alice ssh-ed25519 AAAA")
	f.Fuzz(func(t *testing.T, signature []byte, signers string) {
		if s, err := ParseSigners([]byte(signers)); err == nil && s.Len() > 0 {
			if sig, err := Parse(signature); err == nil {
				_, _ = s.Find(sig, time.Unix(0, 0)) // both texts may have the same key: only Verify decides
				if sig.Verify([]byte(message), namespace) == nil {
					t.Error("a text of the fuzzer is a valid signature")
				}
			}
		}
	})
}
