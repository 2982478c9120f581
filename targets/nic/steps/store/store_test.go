package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/nic/steps/store"
)

// TestNames: the step and the query have exactly one name. A name without a stored parameter, or with another form of it, makes none.
func TestNames(t *testing.T) {
	k := &steps.Kit{
		Driver: "x", Suffix: "-x", Script: steps.Script("-x", steps.Card),
		Store: store.Step, Stored: store.Query,
	}
	s, err := k.Step(strings.Fields("store ens1f0,nvram_CNP_DSCP=48 ens1f1,leaves,nvram_ROCE_CONTROL=2"))
	require.NoError(t, err)
	require.Equal(t, "x store ens1f0,nvram_CNP_DSCP=48 ens1f1,leaves,nvram_ROCE_CONTROL=2", s.Name)
	q, err := k.Query(strings.Fields("stored a,nvram_CNP_DSCP=4294967295"))
	require.NoError(t, err)
	require.Equal(t, "x stored a,nvram_CNP_DSCP=4294967295", q.Name)
	for _, name := range []string{
		"store", "store a", "stored", "stored a", "stored a b", "store a,nvram_x=4294967296", "store a,nvram_x=01", "store a,nvram_=1",
		"store a,nvram_x/y=1", "store a,nvram_x=on", "store a,nvram_x=1,leaves", "stored a,leaves,nvram_x=1", "store a,dcqcn_x=1",
	} {
		_, err := k.Step(strings.Fields(name))
		require.ErrorAs(t, err, new(*commands.Unknown), name)
		_, err = k.Query(strings.Fields(name))
		require.ErrorAs(t, err, new(*commands.Unknown), name)
	}
}
