package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/ssh"
	"github.com/rocec/rocec/targets/target"
)

// TestLoginsAreLimited: whatever verb logs in, the prefixes and the keys that the policy of the site leaves bind it.
func TestLoginsAreLimited(t *testing.T) {
	home, site := t.TempDir(), t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	fleet := func(text string) *Fleet {
		require.NoError(t, os.WriteFile(filepath.Join(site, "policy.hcl"), []byte(text), 0o600))
		p := &person.Person{Getenv: getenv, Stdin: strings.NewReader(""), Stderr: new(bytes.Buffer)}
		s := New(globals.New(p, globals.Build{}), device.Clock{})
		s.Site.Folder = site
		return s.NewFleet(&target.Tree{})
	}
	at := func(address string) *target.Device {
		return &target.Device{Name: "leaf01", Login: target.Login{Address: address, Port: 1}}
	}
	f := fleet("forbid = []\nprefixes = [\n  \"127.0.0.1/32\",\n]\n")
	require.NoError(t, f.Connect())
	_, err := f.Dial(t.Context(), at("127.0.0.2"))
	require.ErrorContains(t, err, "127.0.0.2 is in no prefix of the policy ("+filepath.Join(site, "policy.hcl")+":2)")
	_, err = f.Dial(t.Context(), at("127.0.0.1"))
	assert.NotContains(t, err.Error(), "policy")
	f.Close(&err)

	f = fleet("forbid = [\n  \"keys_on_disk\",\n]\n")
	r, err := Rights(f.s, false)
	require.NoError(t, err)
	var cfg ssh.Config
	limit(&cfg, r)
	assert.Equal(t, "the policy forbids keys_on_disk ("+filepath.Join(site, "policy.hcl")+":2)", cfg.AgentOnly)
	assert.Nil(t, cfg.Permit, "names behind jump hosts are good without prefixes")

	f = fleet("prefixes = 7\n")
	require.ErrorContains(t, f.Connect(), "nothing is done without it")
}
