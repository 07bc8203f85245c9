#ifndef CORNERTURN_EXPORT_H
#define CORNERTURN_EXPORT_H

/* Marks the symbols that the shared library exports; all others are hidden. */
#define CORNERTURN_API __attribute__((visibility("default")))

#endif
