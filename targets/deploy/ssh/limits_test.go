package ssh_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy/internal/sshdtest"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// within permits the addresses of prefixes.
func within(prefixes ...string) func(netip.Addr) error {
	return func(addr netip.Addr) error {
		for _, p := range prefixes {
			if netip.MustParsePrefix(p).Contains(addr) {
				return nil
			}
		}
		return fmt.Errorf("policy.hcl:2 has no %s", addr)
	}
}

// forbidden dials, wants a refusal by a limit, and returns its text.
func forbidden(t *testing.T, cfg ssh.Config, dev *target.Device) string {
	t.Helper()
	return refused(t, cfg, dev, ssh.ErrForbidden)
}

// TestPermit: the address that a name has, after ssh_config and DNS, is judged before a connection is made; so are jump hosts.
func TestPermit(t *testing.T) {
	t.Parallel()
	s, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	cfg := trusting(t, s, jump)
	put(t, cfg.Home, "config", "Host leaf01\n HostName localhost\n HostKeyAlias known\n Port "+strconv.Itoa(s.Port)+"\n")
	known := s.KnownHostsLine("ed25519") + jump.KnownHostsLine("ed25519") + "known " + s.HostKeys["ed25519"].Public + "\n"
	put(t, cfg.Home, "known_hosts", known)
	named := &target.Device{Name: "leaf01"}
	behind := device(s)
	behind.Login.Jump = at(jump)
	namedBehind := &target.Device{Name: "leaf01", Login: target.Login{Jump: at(jump)}}

	cfg.Permit = within("127.0.0.0/8", "::1/128")
	for _, dev := range []*target.Device{device(s), named, behind} {
		assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg), dev), "echo hello"))
	}
	before := s.Connections()
	text := forbidden(t, cfg, namedBehind)
	assert.Contains(t, text, `the address of the name "localhost" is known behind the jump host alone. Write the IP address`)

	cfg.Permit = within("192.0.2.0/24")
	for _, dev := range []*target.Device{device(s), named} {
		assert.Regexp(t, `does not log in to .*: policy\.hcl:2 has no (127\.0\.0\.1|::1)`, forbidden(t, cfg, dev))
	}
	jumps := jump.Connections()
	assert.Contains(t, forbidden(t, cfg, behind), "on the way to ")
	assert.Equal(t, jumps, jump.Connections(), "nothing was sent to the jump host")

	elsewhere := device(s)
	elsewhere.Login.Address, elsewhere.Login.Jump = "198.51.100.7", at(jump)
	cfg.Permit = within("127.0.0.0/8")
	assert.Contains(t, forbidden(t, cfg, elsewhere), "policy.hcl:2 has no 198.51.100.7")
	_, err := newDialer(t, cfg).Identify(t.Context(), elsewhere)
	require.ErrorIs(t, err, ssh.ErrForbidden)
	assert.Equal(t, before, s.Connections(), "nothing was sent to the device")
}

// TestPermitSSH: what the ssh program would connect to is judged before it does, by its own configuration.
func TestPermitSSH(t *testing.T) {
	t.Parallel()
	s, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	hops := "IdentityFile " + jump.ClientKey.Path + "\n" +
		"Host leaf01 leaf02 leaf03 leaf04\n HostKeyAlias known\n Port " + strconv.Itoa(s.Port) + "\n" +
		"Host leaf01 leaf04\n HostName localhost\n" +
		"Host leaf02\n HostName 127.0.0.1\n ProxyJump hop\n" +
		"Host leaf03\n HostName localhost\n ProxyJump hop\n" +
		"Host leaf04\n ProxyCommand nc 127.0.0.1 " + strconv.Itoa(s.Port) + "\n" +
		"Host hop\n HostName 127.0.0.1\n Port " + strconv.Itoa(jump.Port) + "\n" +
		"Host nowhere\n HostName nowhere.invalid\n" +
		"Match all\n"
	known := s.KnownHostsLine("ed25519") + jump.KnownHostsLine("ed25519") + "known " + s.HostKeys["ed25519"].Public + "\n"
	cfg := byProgram(t, s, hops, known)
	by := func(name, jump string) *target.Device {
		return &target.Device{Name: name, Login: target.Login{Transport: "openssh", Jump: jump}}
	}
	cfg.Permit = within("127.0.0.0/8", "::1/128")
	for _, dev := range []*target.Device{programDevice(s), by("leaf01", ""), by("leaf02", "")} {
		assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, cfg), dev), "echo hello"), dev.Name)
	}
	before := [2]int{s.Connections(), jump.Connections()}
	assert.Contains(t, forbidden(t, cfg, by("leaf03", "")), `the address of the name "localhost" is known behind the jump host alone`)
	assert.Contains(t, forbidden(t, cfg, by("leaf02", "hop,localhost")), `the address of the name "localhost" is known behind`)
	assert.Contains(t, forbidden(t, cfg, by("leaf04", "")), `where the ProxyCommand of "leaf04" in ssh_config connects to`)
	assert.Contains(t, forbidden(t, cfg, &target.Device{Name: "leaf04"}), "ProxyCommand", "a transport that ssh_config asks for")
	assert.Contains(t, forbidden(t, cfg, by("nowhere", "")), `rocec finds none of the name "nowhere.invalid"`)

	cfg.Permit = within("192.0.2.0/24")
	for _, dev := range []*target.Device{programDevice(s), by("leaf01", ""), by("leaf02", "")} {
		assert.Regexp(t, `policy\.hcl:2 has no (127\.0\.0\.1|::1)`, forbidden(t, cfg, dev))
	}
	assert.Equal(t, before, [2]int{s.Connections(), jump.Connections()}, "nothing was sent")
}

const onlyAgent = "policy.hcl:1 forbids private keys in files"

// TestAgentOnly: private keys in files are neither read nor offered, and those of the agent are.
func TestAgentOnly(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	other := sshdtest.NewKey(t, "ed25519", "")
	cfg := login(t, s, map[string]string{"id_ed25519": string(s.ClientKey.PEM)})
	dial(t, newDialer(t, cfg), device(s))

	cfg.AgentOnly = onlyAgent
	text := refused(t, cfg, device(s), ssh.ErrLogin)
	assert.Contains(t, text, "there is no key to log in to 127.0.0.1:"+strconv.Itoa(s.Port)+" with: "+onlyAgent)
	assert.Contains(t, text, "id_ed25519 ("+onlyAgent+")")
	cfg.AgentSocket = startAgent(t, s.ClientKey)
	dial(t, newDialer(t, cfg), device(s))

	// The public halves name keys of the agent.
	put(t, cfg.Home, "config", "IdentityFile ~/.ssh/mine\nIdentityFile ~/.ssh/theirs.pub\nIdentitiesOnly yes\n")
	put(t, cfg.Home, "mine.pub", other.Public+"\n")
	put(t, cfg.Home, "theirs.pub", s.ClientKey.Public+"\n")
	text = refused(t, withAgent(cfg, startAgent(t)), device(s), ssh.ErrLogin)
	assert.Contains(t, text, "mine (the agent does not hold it, and "+onlyAgent+")")
	dial(t, newDialer(t, withAgent(cfg, startAgent(t, other, s.ClientKey))), device(s))
	put(t, cfg.Home, "theirs.pub", other.Public+"\n")
	refused(t, withAgent(cfg, startAgent(t, s.ClientKey)), device(s), ssh.ErrLogin)
}

func withAgent(cfg ssh.Config, socket string) ssh.Config { cfg.AgentSocket = socket; return cfg }

// TestAgentOnlySSH: the ssh program gets no private key of a file, for a jump host either. It uses keys of the agent and of security keys.
func TestAgentOnlySSH(t *testing.T) {
	t.Parallel()
	s, jump := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	known := s.KnownHostsLine("ed25519") + jump.KnownHostsLine("ed25519")
	cfg := byProgram(t, s, "", known)
	config := func(text string) ssh.Config {
		put(t, cfg.Home, "config", "GlobalKnownHostsFile none\n"+text)
		return cfg
	}
	cfg.AgentOnly = onlyAgent
	cfg.Environ = append(os.Environ(), "SSH_AUTH_SOCK=")
	private := s.ClientKey.Path
	text := forbidden(t, config("IdentityFile "+private+"\n"), programDevice(s))
	assert.Contains(t, text, onlyAgent+`, and ssh_config names a private key for "127.0.0.1": `+private+". Put the key into the agent")
	text = forbidden(t, config("IdentityFile ${HOME}/key\n"), programDevice(s))
	assert.Contains(t, text, "does not know which file IdentityFile ${HOME}/key")

	through := programDevice(s)
	through.Login.Jump = at(jump)
	one := "Match originalhost 127.0.0.1 exec \"test %p = " + strconv.Itoa(jump.Port) + "\"\n IdentityFile " + private + "\n"
	assert.Contains(t, forbidden(t, config(one), through), private)

	put(t, cfg.Home, "token.pub", "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIA"+
		strings.Repeat("A", 42)+"AAAABHNzaDo= x\n")
	put(t, cfg.Home, "token", "in a security key")
	cfg.AgentSocket = startAgent(t, s.ClientKey, jump.ClientKey)
	good := config("IdentityFile " + private + ".pub\nIdentityFile ~/.ssh/token\nIdentityFile ~/.ssh/missing\nIdentityFile none\n")
	assert.Equal(t, "hello\n", output(t, dial(t, newDialer(t, good), through), "echo hello"))

	// The default files of ssh, which are those of the account, do not count either.
	seen, program := filepath.Join(t.TempDir(), "seen"), filepath.Join(t.TempDir(), "ssh")
	script := "#!/bin/sh\ncase \" $* \" in *' -N '*) ssh -G \"$@\" | grep ^identityfile >" + seen + " ;; esac\nexec ssh \"$@\"\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
	cfg.AgentSocket, cfg.OpenSSH = startAgent(t), program
	refused(t, config(""), programDevice(s), ssh.ErrLogin)
	assert.Equal(t, "identityfile none\n", string(read(t, seen)))
}
