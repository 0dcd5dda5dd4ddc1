/* Stands for FreeRTOS: the first second of the program, on a computer. */
#include <stdlib.h>
static inline void vTaskDelay(int ticks)
{
    if (ticks == 100)
        exit(0);
}
typedef void *TaskHandle_t;
#define pdTRUE 1
#define portMAX_DELAY (-1)
#define xTaskGetCurrentTaskHandle() NULL
#define xTaskNotifyGive(task) ((void)(task))
#define ulTaskNotifyTake(clear, most) ((void)(clear))
