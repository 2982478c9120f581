package ssh_test

import (
	"crypto/fips140"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// TestFIPS logs in to real servers from a process in FIPS 140 mode. The test binary runs itself with GODEBUG.
func TestFIPS(t *testing.T) {
	t.Parallel()
	if home := os.Getenv("ROCEC_TEST_FIPS_HOME"); home != "" {
		require.True(t, fips140.Enabled())
		port, err := strconv.Atoi(os.Getenv("ROCEC_TEST_FIPS_PORT"))
		require.NoError(t, err)
		dev := &target.Device{Name: "leaf01", Login: target.Login{Address: "127.0.0.1", Port: port, HostKey: os.Getenv("ROCEC_TEST_FIPS_PIN")}}
		conn, err := newDialer(t, ssh.Config{Home: home, User: os.Getenv("ROCEC_TEST_FIPS_USER")}).Dial(t.Context(), dev)
		if err != nil {
			t.Fatal("refused: " + err.Error())
		}
		assert.Equal(t, "hello\n", output(t, conn, "echo hello"))
		require.NoError(t, conn.Close())
		return
	}

	ecdsa, rsa := sshdtest.NewKey(t, "ecdsa", ""), sshdtest.NewKey(t, "rsa", "")
	nist := []string{
		"KexAlgorithms ecdh-sha2-nistp256", "HostKeyAlgorithms ecdsa-sha2-nistp256", "PubkeyAcceptedAlgorithms ecdsa-sha2-nistp256",
		"MACs hmac-sha2-256",
	}
	for i, c := range []struct {
		name   string
		host   string // type of the host key
		config []string
		key    *sshdtest.Key // nil: the server's own Ed25519 key
		only   string        // the error with fips140=only; empty: the login succeeds
		on     string        // the error with fips140=on
	}{
		{"NIST curves, AES-CTR", "ecdsa", append(nist, "Ciphers aes256-ctr"), ecdsa, "", ""},
		{
			"NIST curves, AES-GCM", "ecdsa", append(nist, "Ciphers aes128-gcm@openssh.com"), ecdsa,
			"no client to server cipher algorithm in common that FIPS 140 allows; it offers aes128-gcm@openssh.com", "",
		},
		{"a server as it comes", "ecdsa", nil, ecdsa, "", ""},
		{"RSA", "rsa", nil, rsa, "", ""},
		{"Ed25519", "ed25519", nil, nil, "", ""},
		{
			"curve25519 alone", "ecdsa",
			[]string{"KexAlgorithms curve25519-sha256"},
			ecdsa,
			"no key exchange algorithm in common that FIPS 140 allows; it offers curve25519-sha256",
			"no key exchange algorithm in common that FIPS 140 allows; it offers curve25519-sha256",
		},
		{
			"ChaCha20 alone", "ecdsa",
			[]string{"Ciphers chacha20-poly1305@openssh.com"},
			ecdsa,
			"cipher algorithm in common that FIPS 140 allows; it offers chacha20-poly1305@openssh.com",
			"cipher algorithm in common that FIPS 140 allows; it offers chacha20-poly1305@openssh.com",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sshdtest.Start(t, sshdtest.Options{HostKeys: []string{c.host}, Config: c.config, Authorize: []string{ecdsa.Public, rsa.Public}})
			key := c.key
			if key == nil {
				key = s.ClientKey
			}
			home := home(t, map[string]string{
				"known_hosts": s.KnownHostsLine(c.host), "config": "IdentityFile ~/.ssh/key\n",
				"key": string(key.PEM),
			})
			require.NoError(t, exec.Command(machinetest.Need(t, "ssh-keygen"), "-q", "-H", "-f", home+"/.ssh/known_hosts").Run())
			for j, mode := range []string{"only", "on"} {
				says := []string{c.only, c.on}[j]
				for k, pin := range []string{"", s.HostKeys[c.host].Fingerprint} {
					if (i+j+k)%2 != 0 { // every case in both modes, every second case with a pin
						continue
					}
					child := exec.Command(os.Args[0], "-test.run=^TestFIPS$")
					child.Env = append(os.Environ(), "GODEBUG=fips140="+mode, "ROCEC_TEST_FIPS_HOME="+home,
						"ROCEC_TEST_FIPS_PORT="+strconv.Itoa(s.Port), "ROCEC_TEST_FIPS_USER="+s.User, "ROCEC_TEST_FIPS_PIN="+pin)
					out, err := child.CombinedOutput()
					if says == "" {
						require.NoError(t, err, "%s\n%s", mode, out)
						continue
					}
					require.Error(t, err, mode)
					assert.Contains(t, string(out), says, mode)
					assert.False(t, strings.Contains(string(out), "no key to log in"), string(out))
				}
			}
		})
	}
}
