package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestOutputThatCannotBeWritten: a full disk or a closed pipe does not stop the program, and the error is stored.
func TestOutputThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	o := &output{file: full}
	n, err := o.Write([]byte("plan"))
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	assert.ErrorIs(t, o.err, syscall.ENOSPC)
}

// TestMain lets tests start the program by its name: it is the binary of the tests.
func TestMain(m *testing.M) {
	machinetest.Hasten()
	machinetest.Parallel(4) // many tests wait for devices
	testscript.Main(m, map[string]func(){"rocec": main})
}
