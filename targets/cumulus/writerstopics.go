package cumulus

import "github.com/rocec/rocec/lang/diag"

// The codes about other writers of a switch's traffic.conf.

var topicWriter = diag.Topic{
	Code:    "cumulus-other-writer",
	Summary: "another program also writes the file",
}

var topicBeside = diag.Topic{
	Code:    "cumulus-other-settings",
	Summary: "settings of others are in force beside those of the fabric",
}
