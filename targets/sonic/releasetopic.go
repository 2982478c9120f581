package sonic

import "github.com/rocec/rocec/lang/diag"

var topicRelease = diag.Topic{
	Code:    "sonic-release",
	Summary: "this release of SONiC is none that rocec writes",
	Doc: `
SONiC is released from branches named by year and month. What a patch may change, which fields a
model has, and when the buffer manager looks at a port differ from branch to branch, so rocec
writes those it knows: 202205, 202305, 202311, 202405, 202411, 202505, 202511 and 202605.

Example:

    switch "leaf" {
      os      = "sonic"
      version = "201911"
    }

How to mend it: write the branch, or what build_version in /etc/sonic/sonic_version.yml says.

    switch "leaf" {
      os      = "sonic"
      version = "202505"
    }
`,
}
