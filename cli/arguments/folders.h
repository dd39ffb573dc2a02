#ifndef SCCL_CLI_ARGUMENTS_FOLDERS_H
#define SCCL_CLI_ARGUMENTS_FOLDERS_H

/* Folders where a command takes algorithm files. */

#include "cli/arguments/options.h"

/*
 * Replaces each folder among FILES by the algorithm files in it and its subfolders, in the order of names; other files,
 * and symbolic links, are passed over. Call it once; the list lasts until the process ends. False with *e set: a folder
 * cannot be read, or has no algorithm.
 */
bool operands_open_folders(struct operands *files, struct error *e);

#endif
