package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRelease(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "v0.13.0": "v0.13.0", "0.14.0-rc.1": "0.14.0-rc.1", "": "", "(devel)": "",
		"v0.0.0-20260102150405-0123456789ab": "", "v0.13.1-0.20260102150405-0123456789ab": "", "v0.13.0+dirty": "",
		"v0.14.0-rc.1.0.20260102150405-0123456789ab+dirty": "",
	} {
		assert.Equal(t, want, release(version), version)
	}
}
