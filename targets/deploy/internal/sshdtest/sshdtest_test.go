package sshdtest

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// The fingerprint of a key equals the output of ssh-keygen.
func TestFingerprint(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		k := NewKey(t, kind, "")
		out, err := exec.Command(machinetest.Need(t, "ssh-keygen"), "-l", "-f", k.Path).Output()
		require.NoError(t, err)
		require.Equal(t, strings.Fields(string(out))[1], k.Fingerprint)
	}
}
