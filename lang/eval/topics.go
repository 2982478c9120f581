package eval

import "github.com/rocec/rocec/lang/diag"

// What is wrong with names, values and expressions. `rocec explain CODE` prints the Doc.
var (
	UnknownBlock = diag.Topic{Code: "unknown-block", Summary: "there is no such block", Doc: `
The language has a fixed set of blocks, and each may stand in certain places only. An unknown one is
refused instead of skipped: a misspelt block must not silently configure nothing.

Example:

    swich "edge" {
      model = "sn2700"
    }

Fix: take the name the message offers.
`}

	MissingAttribute = diag.Topic{Code: "missing-attribute", Summary: "a required attribute is missing", Doc: `
Some attributes have no sensible default, so the person must say: the cos of a cos_group, the
version of a roce, the model of a switch. null counts as not written.

Example:

    cos_group "bulk" {
      weight = 10 # no cos
    }

Fix: write the attribute.

    cos_group "bulk" {
      cos = 1
    }
`}

	BadName = diag.Topic{Code: "bad-name", Summary: "the name is not allowed", Doc: `
Device names have 1 to 63 of the characters a-z 0-9 . _ - and start with a letter or digit; ".." is
not allowed. Interface names are Linux names: up to 15 of the characters A-Z a-z 0-9 . _ + @ -,
starting with a letter, digit or underscore. Names become paths and commands on devices, so nothing
else is let through.

Example:

    switch "edge" {
      names = "Edge[1-4]"
      model = "sn2700"
    }

Fix: use the characters above. Device names are names in the fabric; the address of a
device may be anything (ssh block).

    switch "edge" {
      names = "edge[1-4]"
    }
`}

	WrongType = diag.Topic{Code: "wrong-type", Summary: "the value has the wrong type", Doc: `
Numbers, strings, booleans and lists are not turned into each other behind your back: version = 4.3
would lose the zero of "4.30". Blocks are named by reference, without quotes. Values of variables
have the type their variable block declares.

Example:

    cos_group "rdma" {
      cos  = "4"
      dscp = "af31"
    }

Fix: write the type the message names: cos_group = cos_group.rdma, version = "4.3.0".

    cos_group "rdma" {
      cos  = 4
      dscp = ["af31"]
    }
`}

	WrongUnit = diag.Topic{Code: "wrong-unit", Summary: "the unit is missing or unknown", Doc: `
A plain number has a meaning where there is one natural unit, and is refused where there is not.
"64K" and "64KB" are refused, because some people mean 64000 and some 65536, and buffers sized by
the wrong one drop lossless frames.

    speed     "25G"  "100G"  "400000M"
    size      65536  "65536B"  "64KiB"  "1MiB"         plain numbers are bytes
    length    3  "3m"  "0.5km"  "10ft"                 plain numbers are metres
    percent   50  "50%"

Example:

    cos_group "rdma" {
      ecn {
        min = "150KB"
      }
    }

Fix: write the unit.

    cos_group "rdma" {
      ecn {
        min = "150KiB"
      }
    }
`}

	OutOfRange = diag.Topic{Code: "out-of-range", Summary: "the value is out of range", Doc: `
The value has the right type but lies outside of what the protocol or the language allows: a cos is
0-7, a DSCP 0-63, a VLAN 1-4094, a routing one of seven words. The message says which values are
allowed.

Example:

    cos_group "rdma" {
      cos = 8
    }

Fix: take a value that is allowed.

    cos_group "rdma" {
      cos = 4
    }
`}

	BadValue = diag.Topic{Code: "bad-value", Summary: "the value is not well formed", Doc: `
The value is a string of the right kind that cannot be read as what the attribute means: an address,
a prefix, a host key, a login name. Values that end in commands or files on devices are held to what
is safe there.

Example:

    host "gpu" {
      nic "ens1f0" {
        ip = "192.0.2.300/24"
      }
    }

Fix: the message shows the form that is meant.

    host "gpu" {
      nic "ens1f0" {
        ip = "192.0.2.${self.index + 30}/24"
      }
    }
`}

	UnknownReference = diag.Topic{Code: "unknown-reference", Summary: "the reference leads nowhere", Doc: `
References are var.NAME, local.NAME, cos_group.NAME, switch.GROUP, host.GROUP, module.NAME.OUTPUT,
in switch and host blocks self.name, self.index and self.group, and with for_each each.key and
each.value. What they name must be declared in the same folder; a module sees only its own.

Example:

    roce "training" {
      cos_group = cos_group.rmda
    }

Fix: take the name the message offers, or declare it. Text is written in quotes:
routing = "up-down".

    roce "training" {
      cos_group = cos_group.rdma
    }
`}

	UnknownFunction = diag.Topic{Code: "unknown-function", Summary: "there is no such function", Doc: `
The functions are those Terraform users know for numbers, strings, collections, encoding and IP
networks, plus nodeset and file; docs/language.md lists them. Functions that read the clock, the
network or the environment do not exist: the same fabric always means the same.

Example:

    host "gpu" {
      nic "ens1f0" { ip = cidrip("192.0.2.0/24", self.index + 1) }
    }

Fix: take the name the message offers, or another function of the list.

    host "gpu" {
      nic "ens1f0" { ip = cidrhost("192.0.2.0/24", self.index + 1) }
    }
`}

	BadExpression = diag.Topic{Code: "bad-expression", Summary: "the expression cannot be evaluated", Doc: `
An operand or argument does not fit: a division by zero, an index past the end, text where a number
is due. The message says which part.

Example:

    locals {
      racks = ["a", "b"]
      last  = local.racks[2] # counted from 0
    }

Fix: correct the part. try(a, b) gives the first argument that can be evaluated.

    locals {
      last = local.racks[1]
    }
`}

	ReferenceCycle = diag.Topic{Code: "reference-cycle", Summary: "locals or modules need each other in a circle", Doc: `
A local may use other locals, in any order, but not, through however many steps, itself: nobody
could say where to begin.

Example:

    locals {
      a = local.b + 1
      b = local.a - 1 # a needs b, b needs a
    }

Fix: break the circle at one of the places shown.

    locals {
      b = 1
    }
`}

	UnsetVariable = diag.Topic{Code: "unset-variable", Summary: "a variable has no value", Doc: `
A variable without a default must be given, or nobody knows its value; rocec never asks.

Example:

    variable "leaves" {
      type = number
    }

Fix: --var leaves=8 on the command line, a line leaves = 8 in a file of --var-file,
ROCEC_VAR_leaves=8 in the environment, or a default.

    variable "leaves" {
      default = 8
    }
`}

	UndeclaredVariable = diag.Topic{Code: "undeclared-variable", Summary: "the variable is not declared", Doc: `
A value was given with --var, in a --var-file or by a module block for a variable that no variable
block declares. It would have no effect, which is never what was meant. Names in the environment
(ROCEC_VAR_x) may be undeclared, because several fabrics share one environment.

Example: rocec validate --var leafs=8, and in the fabric

    variable "leaves" {
      default = 4
    }

Fix: take the name the message offers, or declare the variable.

    variable "leafs" {
      default = 4
    }
`}

	BadVariable = diag.Topic{Code: "bad-variable", Summary: "the value of a variable does not fit", Doc: `
The value does not convert to the type its variable block declares, is not written as name=value, or
is no HCL expression. Values of --var and ROCEC_VAR_x are taken as they stand for string, number and
bool, and as HCL for lists, maps and objects.

Example: rocec validate --var racks=a,b, and in the fabric

    variable "racks" {
      type = list(string)
    }

Fix: write a list as HCL: --var 'racks=["a", "b"]'. Or change the type:

    variable "racks" {
      type = string
    }
`}

	FailedValidation = diag.Topic{Code: "failed-validation", Summary: "a variable is not valid", Doc: `
The condition of a validation block of the variable is false for the value; the message is the
block's own. Whoever wrote the fabric knew a value that cannot be right.

Example:

    variable "leaves" {
      type    = number
      default = 40
      validation {
        condition     = var.leaves <= 32
        error_message = "A spine has 32 ports."
      }
    }

Fix: give a value the condition accepts.

    variable "leaves" {
      default = 32
    }
`}
)
