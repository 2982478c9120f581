package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// Before it asks for the sudo password, rocec names the devices that no known_hosts has, and those that only the fabric identifies.
func TestVouchers(t *testing.T) {
	const (
		key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
		print = "SHA256:i+Nzue8HUYvrQimZzBjuCwLS6Kj1nVvwyyYi8mZzZxM" // with another key
	)
	newDialer := func(config, known string) *ssh.Dialer {
		home := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "config"), []byte(config), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "known_hosts"), []byte(known), 0o600))
		d, err := ssh.New(ssh.Config{Home: home, User: "u", OpenSSH: "ssh"})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, d.Close()) })
		return d
	}
	device := func(name string, login target.Login) *target.Device { return &target.Device{Name: name, Login: login} }
	devices := []*target.Device{
		device("known1", target.Login{}), device("ca1", target.Login{}), device("new1", target.Login{}), device("new2", target.Login{}),
		device("revoked1", target.Login{}), device("pinned1", target.Login{HostKey: print}), device("known2", target.Login{HostKey: print}),
		device("port1", target.Login{Port: 2222}), device("broken1", target.Login{}), device("program1", target.Login{Transport: "openssh"}),
	}
	known := "known1 " + key + "\nknown2 " + key + "\nport1 " + key + "\n@cert-authority ca* " + key + "\n@revoked revoked1 " + key +
		"\nbroken1 ssh-rsa\n"
	require.Equal(t, []string{
		"the sudo password is not sent to new[1-2], port1, program1 and revoked1: no known_hosts has the host key, " +
			"and the fabric has no host_key",
		"only host_key in the fabric identifies known2 and pinned1, as no known_hosts does: " +
			"the author of the fabric chose who gets the sudo password",
	}, vouchers(newDialer("", known), devices))
	require.Equal(t, []string{
		"the sudo password is sent to program1 only if the configuration of ssh has the host key, which rocec cannot check",
	}, vouchers(newDialer("KnownHostsCommand /bin/known %H\n", known), devices[len(devices)-1:]))
	require.Empty(t, vouchers(newDialer("", known), devices[:2]))
}

// rocec names a device that the prompt did not count before it sends the password to it.
func TestSudoPasswordOfFurtherDevices(t *testing.T) {
	sudo, err := device.NewSudo("secret", "leaf01")
	require.NoError(t, err)
	var stderr bytes.Buffer
	s := New(globals.New(&person.Person{Stderr: &stderr}, globals.Build{}), device.Clock{})
	s.sudo = sudo
	more := []*target.Device{{Name: "leaf01"}, {Name: "spine01"}, {Name: "spine02"}}
	for range 2 {
		s.admitSudo(more, "which carry the mark of this run")
	}
	require.Equal(t, "the sudo password also goes to spine[01-02], which carry the mark of this run\n", stderr.String())
	New(globals.New(&person.Person{Stderr: &stderr}, globals.Build{}), device.Clock{}).admitSudo(more, "without a password")
}
